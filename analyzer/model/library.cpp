// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/library.h"

#include <array>

#include "analyzer/model/stack_text.h"

namespace vramscope::model {
namespace {

struct Pattern {
    std::string_view prefix;  // of the file name
    std::string_view name;
    LibraryKind kind;
};

// The first pattern that fits counts, so longer prefixes stand before shorter ones.
constexpr std::array kPatterns{
    Pattern{"libcublasLt", "cublas", LibraryKind::Compute},
    Pattern{"libcublas", "cublas", LibraryKind::Compute},
    Pattern{"libnvblas", "cublas", LibraryKind::Compute},
    Pattern{"libcudnn", "cudnn", LibraryKind::Compute},
    Pattern{"libcufft", "cufft", LibraryKind::Compute},
    Pattern{"libcurand", "curand", LibraryKind::Compute},
    Pattern{"libcusparse", "cusparse", LibraryKind::Compute},
    Pattern{"libcusolver", "cusolver", LibraryKind::Compute},
    Pattern{"libcutensor", "cutensor", LibraryKind::Compute},
    Pattern{"libnccl", "nccl", LibraryKind::Compute},
    Pattern{"libnvshmem", "nvshmem", LibraryKind::Compute},
    Pattern{"libnvinfer", "tensorrt", LibraryKind::Compute},
    Pattern{"libnvjpeg", "nvjpeg", LibraryKind::Compute},
    Pattern{"libnpp", "npp", LibraryKind::Compute},
    Pattern{"libnvrtc", "nvrtc", LibraryKind::Compute},
    Pattern{"libtorch", "torch", LibraryKind::Framework},
    Pattern{"libc10", "torch", LibraryKind::Framework},
    Pattern{"libtriton", "triton", LibraryKind::Framework},
    Pattern{"xla_cuda", "jax", LibraryKind::Framework},
    Pattern{"xla_extension", "jax", LibraryKind::Framework},
    Pattern{"libjax", "jax", LibraryKind::Framework},
    Pattern{"libtensorflow", "tensorflow", LibraryKind::Framework},
    Pattern{"_pywrap_tensorflow", "tensorflow", LibraryKind::Framework},
    Pattern{"librmm", "rmm", LibraryKind::Framework},
    Pattern{"libonnxruntime", "onnxruntime", LibraryKind::Framework},
    Pattern{"libpaddle", "paddle", LibraryKind::Framework},
    Pattern{"libmxnet", "mxnet", LibraryKind::Framework},
    Pattern{"libcuda.so", "cuda", LibraryKind::Plumbing},
    Pattern{"libcudart", "cuda", LibraryKind::Plumbing},
    Pattern{"libcudadebugger", "cuda", LibraryKind::Plumbing},
    Pattern{"libnvidia-", "cuda", LibraryKind::Plumbing},
    Pattern{"libcupti", "cuda", LibraryKind::Plumbing},
    Pattern{"libsanitizer-public", "cuda", LibraryKind::Plumbing},
    Pattern{"libnvToolsExt", "cuda", LibraryKind::Plumbing},
    Pattern{"libvramscope", "vramscope", LibraryKind::Plumbing},
    Pattern{"libc.so", "libc", LibraryKind::Plumbing},
    Pattern{"libc-2", "libc", LibraryKind::Plumbing},
    Pattern{"libm.so", "libc", LibraryKind::Plumbing},
    Pattern{"libpthread", "libc", LibraryKind::Plumbing},
    Pattern{"libdl.so", "libc", LibraryKind::Plumbing},
    Pattern{"ld-linux", "libc", LibraryKind::Plumbing},
    Pattern{"libstdc++", "libstdc++", LibraryKind::Plumbing},
    Pattern{"libc++", "libstdc++", LibraryKind::Plumbing},
    Pattern{"libgcc_s", "libstdc++", LibraryKind::Plumbing},
    Pattern{"libffi", "libffi", LibraryKind::Plumbing},
    Pattern{"linux-vdso", "libc", LibraryKind::Plumbing},
    Pattern{"[vdso]", "libc", LibraryKind::Plumbing},
};

/// Folders of Python packages whose own extension modules carry no telling file name.
constexpr std::array kFolders{
    Pattern{"/site-packages/torch/", "torch", LibraryKind::Framework},
    Pattern{"/site-packages/jaxlib/", "jax", LibraryKind::Framework},
    Pattern{"/site-packages/jax_plugins/", "jax", LibraryKind::Framework},
    Pattern{"/site-packages/tensorflow/", "tensorflow", LibraryKind::Framework},
    Pattern{"/site-packages/cupy", "cupy", LibraryKind::Framework},
    Pattern{"/site-packages/triton/", "triton", LibraryKind::Framework},
};

/// Functions of a statically linked runtime lie in the program's own module; their names give them away.
constexpr std::array<std::string_view, 30> kRuntimeFunctions{"cudaMalloc",
                                                             "cudaMallocAsync",
                                                             "cudaMallocFromPoolAsync",
                                                             "cudaMallocManaged",
                                                             "cudaMallocHost",
                                                             "cudaHostAlloc",
                                                             "cudaHostRegister",
                                                             "cudaHostUnregister",
                                                             "cudaMallocPitch",
                                                             "cudaMalloc3D",
                                                             "cudaMallocArray",
                                                             "cudaMalloc3DArray",
                                                             "cudaFree",
                                                             "cudaFreeAsync",
                                                             "cudaFreeHost",
                                                             "cudaFreeArray",
                                                             "cudaEventCreate",
                                                             "cudaEventCreateWithFlags",
                                                             "cudaEventDestroy",
                                                             "cudaStreamCreate",
                                                             "cudaStreamCreateWithFlags",
                                                             "cudaStreamCreateWithPriority",
                                                             "cudaStreamDestroy",
                                                             "cudaCreateTextureObject",
                                                             "cudaDestroyTextureObject",
                                                             "cudaCreateSurfaceObject",
                                                             "cudaGraphInstantiate",
                                                             "cudaGraphLaunch",
                                                             "cudaIpcOpenMemHandle",
                                                             "cudaLaunchKernel"};

/// "cudaMalloc" of "cudaError cudaMalloc<float>(float**, unsigned long)".
std::string_view bareName(std::string_view function) {
    function = function.substr(0, function.find_first_of("(<"));
    return function.substr(function.find_last_of(" :") + 1);
}

bool isPlumbingFunction(std::string_view function) {
    if (function.empty()) return false;
    static constexpr std::array<std::string_view, 8> kPrefixes{
        "__cudart", "libcudart_static", "cudart::", "operator new", "operator delete", "std::",
        // Of annotate.h.
        "vramscope_", "vramscope::TaskScope"};
    for (std::string_view prefix : kPrefixes) {
        if (function.substr(0, prefix.size()) == prefix) return true;
    }
    const std::string_view bare = bareName(function);
    for (std::string_view name : kRuntimeFunctions) {
        if (bare == name) return true;
    }
    return function.find("new_allocator<") != std::string_view::npos;
}

std::string_view fileNameOf(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

Library libraryOfModule(std::string_view path) {
    const std::string_view file = fileNameOf(path);
    for (const Pattern& pattern : kPatterns) {
        if (file.substr(0, pattern.prefix.size()) == pattern.prefix) {
            return {std::string(pattern.name), pattern.kind};
        }
    }
    for (const Pattern& pattern : kFolders) {
        if (path.find(pattern.prefix) != std::string_view::npos)
            return {std::string(pattern.name), pattern.kind};
    }
    return {std::string(file), LibraryKind::Program};
}

bool isPlumbing(const Capture& capture, const Frame& frame) {
    if (isPlumbingFunction(frame.function)) return true;
    const Module* module = capture.modules.find(frame.moduleId);
    return module && libraryOfModule(module->path).kind == LibraryKind::Plumbing;
}

Library libraryOfFrame(const Capture& capture, const Frame& frame) {
    const Module* module = capture.modules.find(frame.moduleId);
    return libraryOfModule(module ? module->path : frame.file);
}

bool isInterpreter(const Capture& capture, const Frame& frame) {
    const Module* module = capture.modules.find(frame.moduleId);
    if (!module) return false;
    const std::string_view file = fileNameOf(module->path);
    return file.starts_with("libpython") || file == "python" || file.starts_with("python3") ||
           file.starts_with("python2");
}

Library libraryOfStack(const Capture& capture, StackId stack, ProcessId process) {
    for (const Frame* frame : framesOf(capture, stack)) {
        const Module* module = capture.modules.find(frame->moduleId);
        if (module && !isPlumbing(capture, *frame)) return libraryOfModule(module->path);
    }
    return {std::string(capture.programName(process)), LibraryKind::Program};
}

}  // namespace vramscope::model
