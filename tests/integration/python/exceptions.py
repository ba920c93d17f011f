# SPDX-License-Identifier: Apache-2.0
"""Ways for a Python job to meet an exception: `exceptions.py WAY`. Tests find lines by the remarks behind them."""
import ctypes
import multiprocessing
import os
import signal
import sys
import threading

import helper
import simulated_cuda


class OwnError(Exception):
    pass


def raise_own_error():
    raise OwnError("key=secret-value")  # raised in the script


def in_the_script():
    simulated_cuda.start()
    raise_own_error()  # called from the script


def in_a_module():
    simulated_cuda.start()
    helper.allocate()  # the script's own line


def with_the_lock_held():
    simulated_cuda.start(ctypes.PyDLL)
    raise_own_error()


def after_a_start_in_a_thread():
    thread = threading.Thread(target=simulated_cuda.start)
    thread.start()
    thread.join()
    raise_own_error()


def before_cuda():
    raise_own_error()


def caught():
    simulated_cuda.start()
    try:
        raise_own_error()
    except OwnError:
        pass


def by_exit():
    simulated_cuda.start()
    sys.exit(3)


def in_a_thread():
    simulated_cuda.start()
    thread = threading.Thread(target=raise_own_error)
    thread.start()
    thread.join()


def with_an_own_hook():
    def hook(kind, value, traceback):
        print(f"hook: {kind.__name__} {value} {traceback.tb_lineno > 0} {sys.exc_info()}")

    sys.excepthook = hook
    in_the_script()


def with_a_hook_that_exits():
    sys.excepthook = lambda kind, value, traceback: os._exit(9)
    in_the_script()


def with_an_audit_hook():
    """Another audit hook of the job's forbids all that it hears of from now on, tb_frame of a traceback among it."""
    simulated_cuda.start()

    def forbid(event, arguments):
        if event.startswith("object."):
            raise PermissionError(event)

    sys.addaudithook(forbid)
    raise_own_error()


def with_a_hook_against_hooks():
    def forbid(event, arguments):
        if event == "sys.addaudithook":
            raise PermissionError(event)

    sys.addaudithook(forbid)
    in_the_script()


def too_deep():
    simulated_cuda.start()

    def recurse():
        recurse()  # recursion

    recurse()


def with_an_odd_class():
    class Odd(type):
        def __getattribute__(cls, name):
            if name in ("__module__", "__qualname__"):
                os._exit(55)  # the recorder of memory asked the job's own code
            return super().__getattribute__(name)

    class OddError(Exception, metaclass=Odd):
        pass

    sys.excepthook = lambda kind, value, traceback: None
    simulated_cuda.start()
    raise OddError


def in_an_odd_file():
    simulated_cuda.start()
    exec(compile("raise ValueError('secret-value')", "not\udc80text\nnor a line", "exec"))


def by_interrupt():
    simulated_cuda.start()
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()


def child_of(work):
    child = os.fork()
    if child == 0:
        work()
    sys.exit(os.waitpid(child, 0)[1] >> 8)


def in_a_fork():
    """The child alone uses CUDA."""
    child_of(in_the_script)


def in_a_blank_fork():
    """The parent alone uses CUDA."""
    simulated_cuda.start()
    child_of(raise_own_error)


def in_a_worker():
    worker = multiprocessing.get_context("spawn").Process(target=in_the_script)
    worker.start()
    worker.join()
    simulated_cuda.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
