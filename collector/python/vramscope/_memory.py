# SPDX-License-Identifier: Apache-2.0
"""What a program means by memory, as an address and a length."""

_NONE = (0, 0)


def _of_tensor(tensor):
    if getattr(getattr(tensor, "device", None), "type", "cuda") != "cuda":
        return _NONE
    if tensor.is_contiguous():
        return tensor.data_ptr(), tensor.numel() * tensor.element_size()
    # Its elements lie here and there in its storage.
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def _of_interface(interface):
    size = int(interface["typestr"][2:])
    for length in interface["shape"]:
        size *= length
    return interface["data"][0], size


def range_of(memory):
    """(address, bytes) of an address (then 0 bytes: the rest of its buffer), a tensor on a GPU, or an object with
    __cuda_array_interface__; (0, 0) for anything else."""
    try:
        if isinstance(memory, int):
            return memory, 0
        if hasattr(memory, "data_ptr"):
            return _of_tensor(memory)
        return _of_interface(memory.__cuda_array_interface__)
    except Exception:  # whatever the object does: marks must not change what the program does
        return _NONE
