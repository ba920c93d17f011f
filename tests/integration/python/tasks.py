# SPDX-License-Identifier: Apache-2.0
"""A job that marks its memory with the module vramscope. Sizes, in units of 64 KiB, tell its buffers apart."""
import ctypes
import sys
import threading
import types

import simulated_cuda
import vramscope

UNIT = 1 << 16


class Tensor:
    """As much of a tensor as the module looks at."""

    def __init__(self, units):
        address = ctypes.c_uint64()
        if DRIVER.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(units * UNIT)) != 0:
            raise SystemExit("no memory")
        self._address, self._units = address.value, units

    def data_ptr(self):
        return self._address

    def numel(self):
        return self._units * UNIT

    def element_size(self):
        return 1

    def is_contiguous(self):
        return True


class Array:
    def __init__(self, tensor):
        self.__cuda_array_interface__ = {"data": (tensor.data_ptr(), False), "shape": (16, 4), "typestr": "<f4"}


class OddThing:
    def __getattr__(self, name):
        raise RuntimeError("nobody touches me")


def run_in_engine(work):
    """What PyTorch does with a backward pass: a thread of its own, under this name."""
    def engine():
        ctypes.CDLL(None).prctl(15, b"pt_autograd_0", 0, 0, 0)
        DRIVER.cuCtxSetCurrent(CONTEXT)
        work()
    thread = threading.Thread(target=engine)
    thread.start()
    thread.join()


def fake_torch():
    torch = types.ModuleType("torch")
    torch.autograd = types.ModuleType("torch.autograd")

    def backward(work, fails=False):
        run_in_engine(work)
        if fails:
            raise ValueError("as in a backward pass")
        return "passed through"

    torch.autograd.backward = backward
    torch.autograd.grad = lambda work: run_in_engine(work)
    sys.modules["torch"] = torch
    return torch


DRIVER = ctypes.CDLL("libcuda.so.1")
CONTEXT = ctypes.c_void_p()
with vramscope.task("early"):
    simulated_cuda.start()
    DRIVER.cuCtxGetCurrent(ctypes.byref(CONTEXT))
    first = Tensor(1)
torch = fake_torch()


@vramscope.task("trainer")
def train():
    weights = Tensor(2)
    vramscope.name(weights, "weights")
    vramscope.lend(weights, "reader")
    vramscope.lend_end(Array(weights), "reader")
    vramscope.give(weights.data_ptr(), "heir")
    mine = Tensor(7)
    vramscope.own(mine, "mine")
    del mine
    vramscope.own(OddThing(), "odd")
    vramscope.name(OddThing(), "odd")
    vramscope.name(None, "none")
    vramscope.step()
    print(torch.autograd.backward(lambda: Tensor(3)))
    torch.autograd.grad(lambda: Tensor(4))
    try:
        torch.autograd.backward(lambda: Tensor(5), fails=True)
    except ValueError as error:
        print(error)


train()
with vramscope.task("other"):
    run_in_engine(lambda: None)
run_in_engine(lambda: Tensor(6))
print(vramscope.is_recorded())
