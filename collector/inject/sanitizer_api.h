// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/sanitizer_abi.h"

namespace vramscope::collector {

/// The calls of the Compute Sanitizer API that the exact engine makes, from the libsanitizer-public.so that
/// is found at run time. All but subscribing and enabling may be made from its callbacks, and none of them
/// raises one.
struct SanitizerApi {
    using Result = sanitizer::Result;
    Result (*subscribe)(sanitizer::Subscriber*, sanitizer::Callback, void*) = nullptr;
    Result (*enableCallback)(std::uint32_t, sanitizer::Subscriber, std::uint32_t, std::uint32_t) = nullptr;
    Result (*getResultString)(Result, const char**) = nullptr;
    Result (*addPatches)(const void* image, CUcontext) = nullptr;
    Result (*patchInstructions)(int, CUmodule, const char* function) = nullptr;
    Result (*patchModule)(CUmodule) = nullptr;
    Result (*setLaunchCallbackData)(sanitizer::Launch, CUfunction, sanitizer::Stream, const void*) = nullptr;
    Result (*alloc)(CUcontext, void**, std::size_t) = nullptr;
    Result (*copyToDevice)(void*, void*, std::size_t, sanitizer::Stream) = nullptr;
    Result (*copyToHost)(void*, void*, std::size_t, sanitizer::Stream) = nullptr;
    Result (*set)(void*, int, std::size_t, sanitizer::Stream) = nullptr;
    Result (*synchronize)(sanitizer::Stream) = nullptr;
    /// sanitizerGetFunctionPcAndSize; null in a library that lacks it.
    Result (*functionPlace)(CUmodule, const char* function, std::uint64_t* pc,
                            std::uint64_t* sizeBytes) = nullptr;
};

extern SanitizerApi g_sanitizer;

/// Finds libsanitizer-public.so, opens it and fills g_sanitizer: the file or folder that
/// VRAMSCOPE_SANITIZER names, else the one in the Python environment that the mapped frameworks come from,
/// else what the loader finds, else the toolkit's. `path` receives the file used. On failure writes a
/// sentence to `reason` and returns false. It is never closed.
bool loadSanitizer(char* path, std::size_t pathBytes, char* reason, std::size_t reasonBytes);

}  // namespace vramscope::collector
