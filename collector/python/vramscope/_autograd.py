# SPDX-License-Identifier: Apache-2.0
"""PyTorch runs a backward pass in threads of its own, one for each device. They get the task of the thread that began it.

Both functions that begin one are wrapped, once torch is there: Tensor.backward() calls the first. The wrappers pass
everything through and tell the recorder where the pass begins and ends; which threads those are it knows by their names.
"""

import functools
import sys

from vramscope import _library

# Engine::thread_init of PyTorch names them pt_autograd_0 and so on.
_THREADS = b"pt_autograd"

_watched = False


def _delegating(function):
    @functools.wraps(function)
    def begin_backward(*args, **kwargs):
        _library.listener.delegate(1, _THREADS)
        try:
            return function(*args, **kwargs)
        finally:
            _library.listener.delegate(0, _THREADS)

    return begin_backward


def watch():
    """Wraps them if torch is imported by now and they are not wrapped yet."""
    global _watched
    if _watched:
        return
    autograd = getattr(sys.modules.get("torch"), "autograd", None)
    # While torch is being imported they may not be there yet.
    if not callable(getattr(autograd, "backward", None)) or not callable(getattr(autograd, "grad", None)):
        return
    _watched = True
    autograd.backward = _delegating(autograd.backward)
    autograd.grad = _delegating(autograd.grad)
