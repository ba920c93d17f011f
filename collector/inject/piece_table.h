// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/device/exact_layout.h"
#include "collector/inject/live_table.h"

namespace vramscope::collector {

/// The live memory cut into pieces, with the look-up table of pages, as the patches read them. The host's
/// copy. Several versions are kept, since marks of earlier launches are read by the table that they were made
/// by.
class PieceTable {
public:
    static constexpr std::uint32_t kMostPieces = 1u << 17;
    static constexpr std::uint32_t kMostPages = 1u << 19;

    /// Cuts `live`. False when there is more of it than fits; then the table is empty.
    bool build(const LiveTable& live);
    /// Maps its memory, once; false when there is none.
    bool map();

    std::uint32_t pieceCount() const { return m_pieceCount; }
    /// Whether a buffer begins with the piece; else the piece before is of the same buffer.
    bool beginsBuffer(std::uint32_t piece) const { return m_beginsBuffer[piece] != 0; }
    std::uint32_t pageMask() const { return m_pageMask; }
    const device::ExactPage* pages() const { return m_pages; }
    const device::ExactPiece* pieces() const { return m_pieces; }
    std::size_t pagesBytes() const { return (std::size_t{m_pageMask} + 1) * sizeof(device::ExactPage); }
    std::size_t piecesBytes() const { return std::size_t{m_pieceCount} * sizeof(device::ExactPiece); }

    std::uint64_t version = 0;     ///< of the live table that it was made from
    std::uint32_t chunkCount = 0;  ///< chunks of marks that still need it

private:
    bool cut(const LiveTable& live, std::uint64_t pieceBytes);
    std::uint32_t countPages() const;
    void enterPages();

    device::ExactPiece* m_pieces = nullptr;
    device::ExactPage* m_pages = nullptr;
    std::uint8_t* m_beginsBuffer = nullptr;
    std::uint32_t m_pieceCount = 0;
    std::uint32_t m_pageMask = 0;
};

}  // namespace vramscope::collector
