# SPDX-License-Identifier: Apache-2.0
"""Tells vramscope whose GPU memory is whose. Does nothing in a program that vramscope does not record.

    import vramscope

    with vramscope.task("generator"):
        weights = torch.empty(4096, 4096, device="cuda")      # the generator's
        vramscope.name(weights, "gen.fc.weight")
        vramscope.lend(weights, "discriminator", "read")

Memory is an address, a tensor, or anything with __cuda_array_interface__. No function raises for what it is given: marks
must not change what the program does.
"""

import weakref
from contextlib import ContextDecorator

from vramscope import _autograd, _library
from vramscope._memory import range_of

__all__ = ["block", "block_end", "give", "heap", "heap_end", "heap_failed", "is_recorded", "lend", "lend_end", "name", "own",
           "step", "task"]

# In the order of annotate.h.
_GIVE, _LEND_READ, _LEND_WRITE, _LEND_END, _NAME, _HEAP, _HEAP_END, _BLOCK, _BLOCK_END, _STEP = range(10)
_HEAP_FAILED = 10


def is_recorded():
    """Whether anybody listens."""
    return _library.listener is not None


def _mark(kind, memory, size, text):
    if _library.listener is None:
        return
    address, bytes_ = (0, 0) if kind == _STEP else range_of(memory)
    if kind != _STEP and not address:
        return
    _library.listener.mark(kind, address, size or bytes_, _library.text(text))


class task(ContextDecorator):
    """The calling thread works for the task `name`: as a context, or around a function. What is allocated in it belongs to
    the task. A backward pass of PyTorch that is begun in it does, too, though other threads run it."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        if _library.listener is not None:
            _autograd.watch()
            _library.listener.task_push(_library.text(self._name))
        return self

    def __exit__(self, *unused):
        if _library.listener is not None:
            _library.listener.task_pop()
        return False


def give(memory, task, size=0):
    """`memory` is the task's from now on."""
    _mark(_GIVE, memory, size, task)


def lend(memory, task=None, access="read", size=0):
    """`task` (None: every task) may read `memory`, or with access "write" change it, too, until lend_end()."""
    _mark(_LEND_WRITE if "write" in str(access) else _LEND_READ, memory, size, task)


def lend_end(memory, task=None, size=0):
    """The loan of `memory` to `task` ends."""
    _mark(_LEND_END, memory, size, task)


def name(memory, name, size=0):
    """What reports call `memory`."""
    _mark(_NAME, memory, size, name)


def own(memory, name=None):
    """`memory`, a tensor of a pool such as PyTorch's, belongs to the calling thread's task until the tensor is gone. Whose the rest
    of the pool is stays unknown."""
    address, _ = range_of(memory)
    if _library.listener is None or not address:
        return
    block(memory, name)
    try:
        weakref.finalize(memory, block_end, address).atexit = False
    except TypeError:  # an address: until block_end()
        pass


def heap(memory, name=None, size=0):
    """An allocator of the program cuts `memory` into blocks."""
    _mark(_HEAP, memory, size, name)


def heap_end(memory):
    """It does no longer."""
    _mark(_HEAP_END, memory, 0, None)


def heap_failed(memory, size):
    """The heap `memory` had no room for a request of `size` bytes."""
    _mark(_HEAP_FAILED, memory, size, None)


def block(memory, name=None, size=0):
    """A block of a heap was handed out, to the calling thread's task."""
    _mark(_BLOCK, memory, size, name)


def block_end(memory):
    """It was given back."""
    _mark(_BLOCK_END, memory, 0, None)


def step(name=None):
    """A step of the main loop begins, and ends where the next one begins."""
    _mark(_STEP, None, 0, name)
