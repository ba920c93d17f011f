# SPDX-License-Identifier: Apache-2.0
"""The few driver calls that make a Python program a CUDA job."""
import ctypes


def start(load=ctypes.CDLL):
    """Initialises CUDA and allocates once. `load` is ctypes.CDLL, which lets go of the interpreter's lock for the length
    of a call, or ctypes.PyDLL, which keeps it."""
    driver = load("libcuda.so.1")
    context, address = ctypes.c_void_p(), ctypes.c_uint64()
    for result in (driver.cuInit(0), driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                   driver.cuCtxSetCurrent(context), driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 20))):
        if result != 0:
            raise SystemExit(f"a driver call gave {result}")
