# SPDX-License-Identifier: Apache-2.0
# Says what was left out and why, so that a build without CUDA or Qt is never a silent half.

foreach(reason IN LISTS VRAMSCOPE_LEFT_OUT)
    message(STATUS "left out: ${reason}")
endforeach()
