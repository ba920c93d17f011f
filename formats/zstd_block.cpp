// SPDX-License-Identifier: Apache-2.0
#include "formats/zstd_block.h"

#include <zstd.h>

namespace vramscope::formats {

namespace {

// Level 1: docs/decisions/0002-event-chunks.md has the sizes and speeds of others.
constexpr int kLevel = 1;
// Numbers of few random bits are full of matches by chance that cost more than the bytes they replace, in
// time and in space: three random bits a byte pack at 2 ns a byte instead of 6, and 8 % smaller.
constexpr int kShortestMatch = 7;

}  // namespace

ZstdCompressor::ZstdCompressor() : m_context(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_minMatch, kShortestMatch);
}
ZstdCompressor::ZstdCompressor(ZstdCompressor&&) noexcept = default;
ZstdCompressor& ZstdCompressor::operator=(ZstdCompressor&&) noexcept = default;
ZstdCompressor::~ZstdCompressor() = default;
void ZstdCompressor::Free::operator()(ZSTD_CCtx_s* context) const {
    ZSTD_freeCCtx(context);
}

bool ZstdCompressor::compress(std::span<const std::byte> in, std::vector<std::byte>& out) {
    out.resize(in.size());
    // A buffer no larger than the input makes zstd give up as soon as it cannot win.
    const std::size_t size = ZSTD_compress2(m_context.get(), out.data(), out.size(), in.data(), in.size());
    if (ZSTD_isError(size) != 0 || size >= in.size()) return false;
    out.resize(size);
    return true;
}

ZstdDecompressor::ZstdDecompressor() : m_context(ZSTD_createDCtx()) {}
ZstdDecompressor::ZstdDecompressor(ZstdDecompressor&&) noexcept = default;
ZstdDecompressor& ZstdDecompressor::operator=(ZstdDecompressor&&) noexcept = default;
ZstdDecompressor::~ZstdDecompressor() = default;
void ZstdDecompressor::Free::operator()(ZSTD_DCtx_s* context) const {
    ZSTD_freeDCtx(context);
}

bool ZstdDecompressor::decompress(std::span<const std::byte> in, std::span<std::byte> out) {
    const std::size_t size =
        ZSTD_decompressDCtx(m_context.get(), out.data(), out.size(), in.data(), in.size());
    return ZSTD_isError(size) == 0 && size == out.size();
}

}  // namespace vramscope::formats
