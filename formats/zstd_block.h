// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace vramscope::formats {

/// Compresses single blocks with zstd, keeping its working memory (about 1 MiB) from one to the next. One
/// thread at a time.
class ZstdCompressor {
public:
    ZstdCompressor();
    ZstdCompressor(ZstdCompressor&&) noexcept;
    ZstdCompressor& operator=(ZstdCompressor&&) noexcept;
    ~ZstdCompressor();

    /// `out` becomes the compressed form of `in`; false (and `out` is not to be used) when it would not be
    /// smaller.
    bool compress(std::span<const std::byte> in, std::vector<std::byte>& out);

private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_CCtx_s, Free> m_context;
};

/// The way back, for blocks that may be hostile. One thread at a time.
class ZstdDecompressor {
public:
    ZstdDecompressor();
    ZstdDecompressor(ZstdDecompressor&&) noexcept;
    ZstdDecompressor& operator=(ZstdDecompressor&&) noexcept;
    ~ZstdDecompressor();

    /// Fills `out` from `in`; false unless `in` is one whole block of exactly that size. Never writes past
    /// `out`.
    bool decompress(std::span<const std::byte> in, std::span<std::byte> out);

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> m_context;
};

}  // namespace vramscope::formats
