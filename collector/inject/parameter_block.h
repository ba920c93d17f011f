// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda.h>

#include "collector/inject/launch_arguments.h"

namespace vramscope::collector {

/// The parameters of a launch or kernel node in one piece, as its `extra` passes them:
/// {CU_LAUNCH_PARAM_BUFFER_POINTER, p, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, END}.
struct ParameterBlock {
    const void* bytes = nullptr;
    std::size_t size = 0;

    /// None when `extra` is null or says nothing that a driver would take.
    static ParameterBlock of(void* const* extra) {
        constexpr std::size_t kMaxBlockBytes = 32764;
        ParameterBlock block;
        if (extra == nullptr) return block;
        for (int i = 0; i < 8 && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
            if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) block.bytes = extra[i + 1];
            if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1] != nullptr) {
                block.size = *static_cast<const std::size_t*>(extra[i + 1]);
            }
        }
        if (block.bytes == nullptr || block.size > kMaxBlockBytes) return {};
        return block;
    }

    std::uint32_t wordCount() const { return static_cast<std::uint32_t>(size / 8); }

    void considerAll(ArgumentWriter& arguments) const {
        for (std::size_t offset = 0; bytes != nullptr && offset + 8 <= size; offset += 8) {
            std::uint64_t word;
            __builtin_memcpy(&word, static_cast<const char*>(bytes) + offset, sizeof(word));
            arguments.consider(word, static_cast<std::uint32_t>(offset));
        }
    }
};

}  // namespace vramscope::collector
