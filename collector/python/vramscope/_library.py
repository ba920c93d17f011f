# SPDX-License-Identifier: Apache-2.0
"""Finds who listens to marks: the library that `vramscope run` loads into its jobs."""

import ctypes
import os
import sys

# The calls are short and never wait, so the interpreter's lock is kept: PYFUNCTYPE and not CFUNCTYPE.
_Push = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)
_Pop = ctypes.PYFUNCTYPE(None)
_Mark = ctypes.PYFUNCTYPE(None, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
_Delegate = ctypes.PYFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p)

_VERSION = 1


class _Annotations(ctypes.Structure):
    """struct vramscope_annotations of annotate.h."""

    _fields_ = [("struct_bytes", ctypes.c_uint32), ("version", ctypes.c_uint32), ("task_push", _Push),
                ("task_pop", _Pop), ("mark", _Mark), ("delegate", _Delegate)]


class _Listener:
    """The functions, looked up once: access to fields of a structure makes a new object each time."""

    def __init__(self, table):
        self.task_push = table.task_push
        self.task_pop = table.task_pop
        self.mark = table.mark
        self.delegate = table.delegate


def _find():
    path = os.environ.get("VRAMSCOPE_LIBRARY", "")
    # A script that runs with raised privileges must not take orders from its environment.
    if not path.startswith("/") or os.getuid() != os.geteuid() or os.getgid() != os.getegid():
        return None
    try:
        entry = ctypes.PyDLL(path).vramscopeAnnotations
        entry.restype = ctypes.POINTER(_Annotations)
        entry.argtypes = [ctypes.c_uint32]
        table = entry(_VERSION)
        return _Listener(table.contents) if table else None
    except (OSError, AttributeError) as error:
        print(f"vramscope: marks of this program are not recorded: {error}", file=sys.stderr)
        return None


def text(value):
    """`value` as the library takes it; None stays None."""
    if value is None:
        return None
    return str(value).encode("utf-8", "replace").split(b"\0", 1)[0]


listener = _find()
