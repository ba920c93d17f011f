// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/stack_text.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

TEST(StackText, ShowsWhereAPersonWouldLook) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack(
        {"/usr/lib/libcuda.so.1!cuMemAlloc_v2", "/opt/app/train!make_mask@/src/train.cpp:88",
         "/opt/app/train!main@/src/train.cpp:12", "/lib/libc.so.6!__libc_start_main@@GLIBC_2.34"});
    const auto capture = builder.load();
    EXPECT_EQ(shortPlace(*capture, {stack}), "train.cpp:88 make_mask");
    EXPECT_EQ(readableFrames(*capture, {stack}, 10).size(), 2U);
    EXPECT_EQ(framesOf(*capture, {stack}).size(), 4U);
    EXPECT_EQ(stableName(*capture, {stack}), "train!make_mask\ntrain!main\n");
    EXPECT_EQ(shortPlace(*capture, StackId()), "a place that was not recorded");
}

TEST(StackText, ShortPlacesCarryNoArgumentLists) {
    tests::CaptureBuilder builder;
    const std::int64_t plain = builder.stack({"/opt/app/train!ns::grab<int (*)(char)>(unsigned long)"});
    const std::int64_t hidden = builder.stack({"/opt/app/train!a::(anonymous namespace)::grab(int)"});
    const auto capture = builder.load();
    EXPECT_EQ(shortPlace(*capture, {plain}), "train ns::grab<...>");
    EXPECT_EQ(shortPlace(*capture, {hidden}), "train a::grab");
}

TEST(StackText, ShortFunctionsKeepWhatTells) {
    EXPECT_EQ(shortFunction("main"), "main");
    EXPECT_EQ(shortFunction("void fill<float, 4>(float*, int)"), "fill<...>");
    EXPECT_EQ(shortFunction("a::(anonymous namespace)::(anonymous namespace)::b(int)"), "a::b");
    EXPECT_EQ(shortFunction("(anonymous namespace)::b(int)"), "b");
    EXPECT_EQ(shortFunction("ns::Pool::operator new(unsigned long)"), "ns::Pool::operator new");
    EXPECT_EQ(shortFunction("ns::F::operator()(int) const"), "ns::F::operator()");
    EXPECT_EQ(shortFunction("ns::operator<<(std::ostream&, int)"), "ns::operator<<");
    EXPECT_EQ(shortFunction("c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::alloc_block("
                            "c10::AllocParams&, std::shared_ptr<c10::GatheredContext> const&)"),
              "DeviceCachingAllocator::alloc_block");
    EXPECT_EQ(shortFunction("+0x5b45ee"), "+0x5b45ee");
    EXPECT_EQ(shortFunction(""), "");
    EXPECT_EQ(shortFunction("<module>"), "<module>");
    EXPECT_EQ(shortFunction("train.<locals>.step"), "train.<locals>.step");
    EXPECT_EQ(shortFunction("<"), "<");
}

TEST(StackText, LooksPastLibrariesToWhoCalledThem) {
    tests::CaptureBuilder builder;
    const std::int64_t blas =
        builder.stack({"/usr/lib/libcuda.so.1!cuMemAlloc_v2", "/usr/lib/libcublas.so.13!cublasCreate_v2",
                       "/opt/app/train!main@train.cpp:12"});
    const std::int64_t script = builder.stack(
        {"/usr/lib/libcuda.so.1!cuMemAlloc_v2", "/p/torch/lib/libc10_cuda.so!alloc_block",
         "/p/torch/lib/libtorch_cuda.so!empty_cuda", "/p/torch/lib/libtorch_python.so!THPVariable_empty",
         "/usr/bin/python3.12!_PyEval_EvalFrameDefault", "/usr/bin/python3.12!Py_RunMain"});
    const std::int64_t thread =
        builder.stack({"/p/torch/lib/libc10_cuda.so!c10::CachingAllocator::malloc",
                       "/p/torch/lib/libtorch.so!at::native::mm", "/p/torch/lib/libtorch.so!worker"});
    const auto capture = builder.load();
    EXPECT_EQ(shortPlace(*capture, {blas}), "train.cpp:12 main, in cublas");
    EXPECT_EQ(shortPlace(*capture, {script}), "libtorch_python.so THPVariable_empty");
    EXPECT_EQ(shortPlace(*capture, {thread}), "libtorch.so at::native::mm");
}

TEST(StackText, AScriptsOwnLineIsThePlace) {
    tests::CaptureBuilder builder;
    const std::int64_t stack =
        builder.stack({"/p/torch/lib/libc10_cuda.so!alloc_block", "/usr/bin/python3.12!_PyEval",
                       "/usr/bin/python3.12!forward@/p/site-packages/torch/nn/module.py:10",
                       "/usr/bin/python3.12!make_mask@train.py:88"});
    // As frames of a script are stored: they lie in no module.
    builder.exec("UPDATE frames SET module_id = NULL WHERE file LIKE '%.py'");
    const auto capture = builder.load();
    EXPECT_EQ(shortPlace(*capture, {stack}), "train.py:88 make_mask, in torch");
    const auto told = toldFrames(*capture, {stack}, 10);
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[2].place, "train.py:88");
}

TEST(StackText, RunsOfLibraryFramesShrink) {
    tests::CaptureBuilder builder;
    std::vector<std::string> frames{"/usr/lib/libcuda.so.1!cuMemAlloc_v2"};
    for (int i = 0; i < 9; ++i)
        frames.push_back("/p/torch/lib/libtorch_cuda.so!inner" + std::to_string(i));
    frames.emplace_back("/opt/app/train!main@train.cpp:12");
    const std::int64_t stack = builder.stack(frames);
    const auto capture = builder.load();
    const auto told = toldFrames(*capture, {stack}, 10);
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told[0].function, "inner0");
    EXPECT_EQ(told[1].function, "... 7 more in torch");
    EXPECT_EQ(told[2].function, "inner8");
    EXPECT_EQ(told[3].function, "main");
}

TEST(StackText, ExpandsInlinedFunctions) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!outer@a.cpp:1"});
    builder.exec(R"(UPDATE frames SET inlined = '[{"function":"inner","file":"b.h","line":7}]')");
    const auto capture = builder.load();
    const auto frames = readableFrames(*capture, {stack}, 10);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].function, "inner");
    EXPECT_EQ(frames[0].place, "b.h:7");
    EXPECT_EQ(frames[1].function, "outer");
}

TEST(StackText, SurvivesARingOfStacksAndTextThatIsNoJson) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!a", "/opt/app/train!b"});
    builder.exec("UPDATE stacks SET parent_stack_id = " + std::to_string(stack));
    builder.exec("UPDATE frames SET inlined = '[{'");
    const auto capture = builder.load();
    EXPECT_EQ(framesOf(*capture, {stack}).size(), kDeepestStack);
    EXPECT_EQ(readableFrames(*capture, {stack}, 3).size(), 3U);
}

}  // namespace
}  // namespace vramscope::model
