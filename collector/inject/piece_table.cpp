// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/piece_table.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace vramscope::collector {

using device::ExactPage;
using device::ExactPiece;

namespace {

constexpr std::uint64_t kPageBytes = std::uint64_t{1} << device::kExactPageBits;
/// Cuts are made as fine as this many pieces allow: finer ones tell more, and cost room and copies.
constexpr std::uint64_t kWantedPieces = 4096;
/// A mark counts in 32 bits.
constexpr std::uint64_t kLargestPieceBytes = std::uint64_t{1} << 31;

std::uint64_t pageOf(std::uint64_t address) {
    return address >> device::kExactPageBits;
}

}  // namespace

bool PieceTable::map() {
    constexpr std::size_t kPiecesBytes = std::size_t{kMostPieces} * sizeof(ExactPiece);
    constexpr std::size_t kPagesBytes = std::size_t{kMostPages} * sizeof(ExactPage);
    if (m_pieces != nullptr) return true;
    void* memory = ::mmap(nullptr, kPiecesBytes + kPagesBytes + kMostPieces, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    char* bytes = static_cast<char*>(memory);
    m_pieces = reinterpret_cast<ExactPiece*>(bytes);
    m_pages = reinterpret_cast<ExactPage*>(bytes + kPiecesBytes);
    m_beginsBuffer = reinterpret_cast<std::uint8_t*>(bytes + kPiecesBytes + kPagesBytes);
    return true;
}

bool PieceTable::cut(const LiveTable& live, std::uint64_t pieceBytes) {
    m_pieceCount = 0;
    for (const LiveRange& range : live) {
        // At multiples of the piece's size, so that pages fall into one piece each.
        std::uint64_t at = range.begin;
        const std::uint64_t end = range.begin + range.sizeBytes;
        while (at < end) {
            const std::uint64_t next = std::min(end, (at / pieceBytes + 1) * pieceBytes);
            if (m_pieceCount == kMostPieces) return false;
            m_beginsBuffer[m_pieceCount] = at == range.begin ? 1 : 0;
            m_pieces[m_pieceCount++] = {at, next - at};
            at = next;
        }
    }
    return true;
}

std::uint32_t PieceTable::countPages() const {
    std::uint64_t pages = 0;
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < m_pieceCount; ++i) {
        const ExactPiece& piece = m_pieces[i];
        const std::uint64_t first = pageOf(piece.begin);
        const std::uint64_t end = pageOf(piece.begin + piece.sizeBytes - 1) + 1;
        pages += end - first - (i != 0 && first < last ? 1 : 0);
        last = end;
        if (pages > kMostPages / 2) return kMostPages;
    }
    return static_cast<std::uint32_t>(pages);
}

void PieceTable::enterPages() {
    std::memset(m_pages, 0, pagesBytes());
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < m_pieceCount; ++i) {
        const ExactPiece& piece = m_pieces[i];
        const std::uint64_t last = pageOf(piece.begin + piece.sizeBytes - 1);
        for (std::uint64_t page = pageOf(piece.begin); page <= last; ++page) {
            // Pieces come by address: the page is the one entered last, or new.
            if (i == 0 || m_pages[place].pieceCount == 0 || m_pages[place].page != page) {
                place = device::exactPlace(page, m_pageMask);
                while (m_pages[place].pieceCount != 0)
                    place = (place + 1) & m_pageMask;
                m_pages[place] = {page, i, 0, piece.begin, piece.sizeBytes};
            }
            ++m_pages[place].pieceCount;
        }
    }
}

bool PieceTable::build(const LiveTable& live) {
    version = live.version();
    m_pageMask = 0;
    std::uint64_t liveBytes = 0;
    for (const LiveRange& range : live)
        liveBytes += range.sizeBytes;
    std::uint64_t pieceBytes = kPageBytes;
    while (pieceBytes < kLargestPieceBytes && liveBytes / pieceBytes > kWantedPieces)
        pieceBytes *= 2;
    if (!cut(live, pieceBytes)) {
        m_pieceCount = 0;
        return false;
    }
    const std::uint32_t pages = countPages();
    if (pages == kMostPages) {
        m_pieceCount = 0;
        return false;
    }
    std::uint32_t places = 16;
    while (places < 2 * pages)
        places *= 2;
    m_pageMask = places - 1;
    enterPages();
    return true;
}

}  // namespace vramscope::collector
