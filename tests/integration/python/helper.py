# SPDX-License-Identifier: Apache-2.0
"""A library of the job's: raises in its own file."""


class Outer:
    class OutOfMemory(RuntimeError):
        pass


def allocate():
    raise Outer.OutOfMemory("key=secret-value")  # raised in the module
