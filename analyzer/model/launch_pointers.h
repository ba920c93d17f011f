// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/argument_chunk.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

/// The pointers that launches were given, by the number of their set, for a reader that goes through all
/// launches. Keeps the chunks it used last, at most kKept of 3 MiB, since launches that follow each other use
/// sets of few chunks. The connection must outlive it.
class LaunchPointers {
public:
    static StatusOr<LaunchPointers> open(formats::Connection& connection);

    /// The set with this number; empty if there is none or it cannot be read, which status() then says. Valid
    /// until the next call.
    std::span<const formats::LaunchArgument> of(std::int64_t setId);
    const Status& status() const { return m_status; }

private:
    static constexpr std::size_t kKept = 16;
    static constexpr std::size_t kSingles = 8192;
    struct Kept {
        std::int64_t firstSetId = 0;
        std::uint64_t lastUse = 0;  // 0: empty
        formats::ArgumentChunk chunk;
    };

    struct Single {
        std::int64_t setId = 0;
        std::vector<formats::LaunchArgument> arguments;
    };

    LaunchPointers(formats::Statement chunk, formats::Statement single)
        : m_chunkRow(std::move(chunk)), m_singleRows(std::move(single)), m_singles(kSingles) {}
    StatusOr<bool> unpackChunkOf(std::int64_t setId);
    std::span<const formats::LaunchArgument> single(std::int64_t setId);
    Status readSingle(Single& single);

    formats::Statement m_chunkRow;    // a chunk by a set's number
    formats::Statement m_singleRows;  // one set, as captures of format 1 keep them
    formats::ZstdDecompressor m_decompressor;
    std::array<Kept, kKept> m_kept;
    std::size_t m_last = 0;
    std::uint64_t m_uses = 0;
    std::vector<Single> m_singles;  // by the last digits of their numbers
    Status m_status = Status::ok();
};

}  // namespace vramscope::model
