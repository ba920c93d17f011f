// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// What kind of code a shared library is, for attributing memory to it.
enum class LibraryKind {
    Program,   ///< the program itself or a library of its own
    Plumbing,  ///< never to blame: the driver, the runtime, CUPTI, ourselves, libc, the C++ library, the
               ///< loader
    Compute,   ///< NVIDIA's compute libraries and their like, which keep workspaces: cublas, cudnn, nccl, ...
    Framework,  ///< cuts its memory up itself and keeps it: torch, jax, tensorflow, rmm, ...
};

struct Library {
    std::string name;  ///< short: "torch", "cublas", or the program's or library's file name
    LibraryKind kind = LibraryKind::Program;

    bool operator==(const Library&) const = default;
};

/// What a module's file path says it is. `path` may be empty (code that lies in no file): kind Program, name
/// "".
Library libraryOfModule(std::string_view path);

/// True for a frame that only passes a request on: code of a plumbing library, the runtime's functions where
/// it is linked into the program, allocation wrappers of the C++ library.
bool isPlumbing(const Capture& capture, const Frame& frame);

/// What the frame's module is; a frame of a scripting language lies in no module and counts by its file.
Library libraryOfFrame(const Capture& capture, const Frame& frame);

/// True for machine code of an interpreter (python3, libpython): it runs the program and is not it.
bool isInterpreter(const Capture& capture, const Frame& frame);

/// Who asked for the memory: the first frame from inside whose module is not plumbing. With no such frame, or
/// no stack, the program of `process`.
Library libraryOfStack(const Capture& capture, StackId stack, ProcessId process);

}  // namespace vramscope::model
