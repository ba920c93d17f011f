// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/mark_ring.h"

#include <algorithm>
#include <sys/mman.h>

#include "collector/inject/sanitizer_api.h"

namespace vramscope::collector {

using device::ExactLaunch;
using device::ExactMarks;
using device::ExactOutside;

namespace {

constexpr std::size_t kAlignment = 256;
/// What a chunk's marks take, unless one launch takes more.
constexpr std::size_t kChunkBytes = std::size_t{512} << 10;
/// More pieces than this have marks enough to keep the GPU's units apart.
constexpr std::uint32_t kMostStripedPieces = 1024;

bool isOk(sanitizer::Result result) {
    return result == sanitizer::kSuccess;
}

void* mapped(std::size_t bytes) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : nullptr;
}

}  // namespace

std::size_t MarkChunk::launchBytes() const {
    return std::size_t{table->pieceCount()} * stripes * sizeof(ExactMarks) + 2 * sizeof(ExactOutside);
}

bool MarkRing::start(CUcontext context) {
    void* memory = nullptr;
    if (!isOk(g_sanitizer.alloc(context, &memory, kBytes))) return false;
    m_memory = static_cast<char*>(memory);
    m_fetched = static_cast<char*>(mapped(kBytes));
    m_chunks = static_cast<MarkChunk*>(mapped(kMostChunks * sizeof(MarkChunk)));
    return m_fetched != nullptr && m_chunks != nullptr;
}

char* MarkRing::take(std::size_t bytes) {
    const std::size_t at = (m_used + kAlignment - 1) & ~(kAlignment - 1);
    if (at + bytes > kBytes) return nullptr;
    m_used = at + bytes;
    return m_memory + at;
}

PieceTable* MarkRing::tableOf(const LiveTable& live) {
    PieceTable* unused = nullptr;
    for (PieceTable& table : m_tables) {
        if (table.version == live.version()) return &table;
        if (table.chunkCount == 0) unused = &table;
    }
    if (unused == nullptr || !unused->map()) return nullptr;
    // A table that does not fit is empty: then every access is outside.
    unused->build(live);
    return unused;
}

MarkChunk* MarkRing::openChunk(MarkStream stream, PieceTable& table, std::uint32_t stripes) {
    if (m_chunkCount == kMostChunks) return nullptr;
    MarkChunk& chunk = m_chunks[m_chunkCount];
    chunk = {};
    chunk.stream = stream;
    chunk.table = &table;
    chunk.stripes = stripes;
    chunk.capacity = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(kChunkBytes / chunk.launchBytes(), 1, MarkChunk::kMostLaunches));
    for (std::uint32_t i = 0; i < m_chunkCount; ++i) {
        const MarkChunk& other = m_chunks[i];
        if (other.stream.handle != stream.handle || other.table != &table) continue;
        chunk.pages = other.pages;
        chunk.pieces = other.pieces;
    }
    const std::size_t before = m_used;
    const bool isTableThere = chunk.pages != nullptr;
    char* pages = isTableThere ? nullptr : take(table.pagesBytes());
    char* pieces = isTableThere ? nullptr : take(table.piecesBytes() + sizeof(device::ExactPiece));
    const std::size_t marksBytes = chunk.capacity * chunk.launchBytes();
    chunk.launches = reinterpret_cast<ExactLaunch*>(take(chunk.capacity * sizeof(ExactLaunch)));
    chunk.marks = take(marksBytes);
    if ((!isTableThere && (pages == nullptr || pieces == nullptr)) || chunk.launches == nullptr ||
        chunk.marks == nullptr) {
        m_used = before;
        return nullptr;
    }
    if (!isTableThere) {
        chunk.pages = reinterpret_cast<const device::ExactPage*>(pages);
        chunk.pieces = reinterpret_cast<const device::ExactPiece*>(pieces);
        g_sanitizer.copyToDevice(pages, const_cast<device::ExactPage*>(table.pages()), table.pagesBytes(),
                                 stream.handle);
        if (table.pieceCount() != 0)
            g_sanitizer.copyToDevice(pieces, const_cast<device::ExactPiece*>(table.pieces()),
                                     table.piecesBytes(), stream.handle);
    }
    ExactLaunch launches[MarkChunk::kMostLaunches];
    for (std::uint32_t i = 0; i < chunk.capacity; ++i) {
        char* marks = chunk.marks + i * chunk.launchBytes();
        launches[i] = {
            chunk.pages,
            chunk.pieces,
            reinterpret_cast<ExactMarks*>(marks),
            reinterpret_cast<ExactOutside*>(marks + chunk.launchBytes() - 2 * sizeof(ExactOutside)),
            table.pageMask(),
            stripes - 1,
            {}};
    }
    if (!isOk(g_sanitizer.set(chunk.marks, 0, marksBytes, stream.handle)) ||
        !isOk(g_sanitizer.copyToDevice(chunk.launches, launches, chunk.capacity * sizeof(ExactLaunch),
                                       stream.handle))) {
        m_used = before;
        return nullptr;
    }
    ++m_chunkCount;
    ++table.chunkCount;
    return &chunk;
}

MarkChunk* MarkRing::chunkFor(MarkStream stream, const LiveTable& live, std::uint32_t wantedStripes) {
    PieceTable* table = tableOf(live);
    if (table == nullptr) return nullptr;
    const std::uint32_t stripes = table->pieceCount() <= kMostStripedPieces ? wantedStripes : 1;
    // The latest first: it is nearly always the one.
    for (std::uint32_t i = m_chunkCount; i-- > 0;) {
        MarkChunk& chunk = m_chunks[i];
        if (chunk.stream.handle == stream.handle && chunk.table == table && chunk.stripes == stripes &&
            chunk.used < chunk.capacity) {
            return &chunk;
        }
    }
    return openChunk(stream, *table, stripes);
}

const ExactLaunch* MarkRing::place(std::uint64_t number, MarkStream stream, const LiveTable& live,
                                   std::uint32_t wantedStripes) {
    MarkChunk* chunk = chunkFor(stream, live, wantedStripes);
    if (chunk == nullptr) return nullptr;
    chunk->numbers[chunk->used] = number;
    return chunk->launches + chunk->used++;
}

bool MarkRing::fetch(const MarkChunk& chunk, std::uint32_t end) {
    const std::size_t bytes = chunk.launchBytes();
    // Without it the copy may bring what was there before the kernel.
    return isOk(g_sanitizer.synchronize(chunk.stream.handle)) &&
           isOk(g_sanitizer.copyToHost(m_fetched, chunk.marks + chunk.read * bytes,
                                       (end - chunk.read) * bytes, chunk.stream.handle));
}

bool MarkRing::hasUnread() const {
    for (std::uint32_t i = 0; i < m_chunkCount; ++i) {
        if (m_chunks[i].read != m_chunks[i].used) return true;
    }
    return false;
}

void MarkRing::reset() {
    if (hasUnread()) return;
    m_chunkCount = 0;
    m_used = 0;
    for (PieceTable& table : m_tables)
        table.chunkCount = 0;
}

}  // namespace vramscope::collector
