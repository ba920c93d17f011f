# SPDX-License-Identifier: Apache-2.0
"""Compares our stack with glibc's deep inside Python: recursion, callbacks from C, threads. Argument: the library."""
import ctypes
import functools
import re
import sys
import threading
import time

MAX_FRAMES = 512
library = ctypes.CDLL(sys.argv[1])
library.unwindTestBoth.restype = ctypes.c_size_t
library.unwindTestRepeat.restype = ctypes.c_size_t
library.unwindTestRepeat.argtypes = [ctypes.c_size_t]
library.unwindTestRepeatBacktrace.restype = ctypes.c_size_t
library.unwindTestRepeatBacktrace.argtypes = [ctypes.c_size_t]
failures = []


def compare(name):
    ours = (ctypes.c_uint64 * MAX_FRAMES)()
    expected = (ctypes.c_uint64 * MAX_FRAMES)()
    expected_count = ctypes.c_size_t()
    end = ctypes.c_int()
    count = library.unwindTestBoth(ours, expected, ctypes.c_size_t(MAX_FRAMES), ctypes.byref(expected_count),
                                   ctypes.byref(end))
    mine, theirs = list(ours[1:count]), list(expected[1:expected_count.value])
    print(f"{name}: {count} frames, end {end.value}, {'same' if mine == theirs else 'DIFFERENT'}")
    if mine != theirs or end.value != 0:
        failures.append(name)


def recurse(depth, function):
    if depth:
        return recurse(depth - 1, function)
    return function()


class Attribute:
    def __getattr__(self, name):
        compare("__getattr__")
        return 0


def key(value):
    if value == 3:
        compare("sort key")
    return value


compare("module level")
recurse(100, lambda: compare("100 Python calls"))
re.sub("b", lambda match: compare("re.sub") or "", "abc")
sorted([5, 3, 4], key=key)
functools.reduce(lambda left, right: compare("reduce") or 0, [1, 2])
getattr(Attribute(), "x")
callback = ctypes.CFUNCTYPE(None)(lambda: compare("ctypes callback"))
callback()
thread = threading.Thread(target=recurse, args=(50, lambda: compare("thread")))
thread.start()
thread.join()


def measure():
    for name, function in (("ours", library.unwindTestRepeat), ("backtrace", library.unwindTestRepeatBacktrace)):
        function(1000)
        start = time.perf_counter_ns()
        frames = function(20000)
        print(f"{name}: {(time.perf_counter_ns() - start) / 20000:.0f} ns for {frames} frames")


if "--measure" in sys.argv:
    recurse(20, lambda: list(map(lambda unused: measure(), [1])))
sys.exit(f"not as glibc says: {', '.join(failures)}" if failures else 0)
