// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "collector/inject/python_api.h"

namespace vramscope::collector {

/// A line of a Python file. The file is UTF-8, cut when it is longer than any path, and empty when unknown.
struct PythonPlace {
    char file[1024] = "";
    long line = 0;
};

/// Where an exception came from.
struct PythonPlaces {
    PythonPlace raised;  ///< the innermost entry of the traceback
    PythonPlace script;  ///< the innermost entry in the file that the traceback begins in: the job's own line
};

/// Reads a traceback, or None. What cannot be read stays empty. Runs no code of the job's but its audit
/// hooks; leaves an error set when something failed, which the caller clears.
void readTraceback(PythonObject* traceback, PythonPlaces& places);

/// "module.Outer.Inner" of an exception class as Python's own tracebacks print it, UTF-8; the plain name for
/// builtins and for classes of the main script. Errors as above.
void readExceptionName(PythonObject* exceptionClass, char* name, std::size_t capacity);

}  // namespace vramscope::collector
