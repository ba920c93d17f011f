// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::collector {

/// From now on an exception that nothing in the job catches is recorded by its type, file and line (never its
/// message), if the process has a CPython of 3.8 or later. Any thread, with or without the interpreter's
/// lock, any number of times: it takes no lock of Python's but that of its list of pending calls. Exceptions
/// that end a thread of `threading` or a child of `multiprocessing` are caught there and do not come by.
void watchPythonExceptions();

}  // namespace vramscope::collector
