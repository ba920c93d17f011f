// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/library.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

TEST(Library, KnowsModulesByTheirFileNames) {
    EXPECT_EQ(libraryOfModule("/a/libtorch_cuda.so"), (Library{"torch", LibraryKind::Framework}));
    EXPECT_EQ(libraryOfModule("/a/libcublasLt.so.13"), (Library{"cublas", LibraryKind::Compute}));
    EXPECT_EQ(libraryOfModule("/a/libnccl.so.2"), (Library{"nccl", LibraryKind::Compute}));
    EXPECT_EQ(libraryOfModule("/p/site-packages/jaxlib/xla_client.so"),
              (Library{"jax", LibraryKind::Framework}));
    EXPECT_EQ(libraryOfModule("/usr/lib/libcuda.so.1").kind, LibraryKind::Plumbing);
    EXPECT_EQ(libraryOfModule("/home/me/libmodel.so"), (Library{"libmodel.so", LibraryKind::Program}));
}

TEST(Library, BlamesTheFirstFrameThatIsNoPlumbing) {
    tests::CaptureBuilder builder;
    const std::int64_t through = builder.stack(
        {"/usr/lib/libcuda.so.1!cuMemAlloc_v2", "/usr/lib/libcudart.so.13!cudaMalloc",
         "/usr/lib/libvramscope.so!hook", "/x/libcudnn.so.9!cudnnCreate", "/opt/app/train!main"});
    const std::int64_t staticRuntime = builder.stack(
        {"/opt/app/train!__cudart512", "/opt/app/train!cudaError cudaMalloc<float>(float**, unsigned long)",
         "/opt/app/libmodel.so!load", "/opt/app/train!main"});
    const auto capture = builder.load();
    EXPECT_EQ(libraryOfStack(*capture, {through}, {1}).name, "cudnn");
    EXPECT_EQ(libraryOfStack(*capture, {staticRuntime}, {1}).name, "libmodel.so");
    EXPECT_EQ(libraryOfStack(*capture, StackId(), {1}).name, "train");
}

}  // namespace
}  // namespace vramscope::model
