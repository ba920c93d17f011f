// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vramscope/annotate.h>

#include "samples/programs/sample.h"

namespace vramscope::samples {

/// A first-fit allocator over one device allocation, as many programs have one, and what it tells of itself.
class Heap {
public:
    Heap(const char* name, std::size_t sizeBytes) : m_start(allocate(sizeBytes)), m_sizeBytes(sizeBytes) {
        vramscope_heap(pointer(m_start), sizeBytes, name);
    }
    ~Heap() {
        vramscope_heap_end(pointer(m_start));
        CU(cuMemFree(m_start));
    }
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    /// 0 when no hole has room for it.
    CUdeviceptr get(std::size_t sizeBytes, const char* name) {
        CUdeviceptr at = m_start;
        for (const auto& [block, bytes] : m_blocks) {
            if (block - at >= sizeBytes) break;
            at = block + bytes;
        }
        if (m_start + m_sizeBytes - at < sizeBytes) {
            vramscope_heap_failed(pointer(m_start), sizeBytes);
            return 0;
        }
        m_blocks.emplace(at, sizeBytes);
        vramscope_block(pointer(at), sizeBytes, name);
        CU(cuMemsetD8(at, 1, sizeBytes));
        return at;
    }
    void giveBack(CUdeviceptr block) {
        vramscope_block_end(pointer(block));
        m_blocks.erase(block);
    }

private:
    static const void* pointer(CUdeviceptr address) { return reinterpret_cast<const void*>(address); }

    CUdeviceptr m_start;
    std::size_t m_sizeBytes;
    std::map<CUdeviceptr, std::size_t> m_blocks;  ///< bytes by first byte
};

}  // namespace vramscope::samples
