// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyzer/model/happens_before.h"
#include "analyzer/model/ordering.h"

namespace vramscope::model {

/// A call that touched bytes.
struct OrderedAccess {
    StreamPoint point;
    OrderedAction action = OrderedAction::Read;
    bool isCopy = false;
    bool isToHost = false;       ///< a copy whose bytes the host can look at
    std::int64_t exitNs = 0;     ///< the call returned
    std::uint32_t callName = 0;  ///< number of the driver call's name in the model's list
    std::int64_t kernelId = 0;
    std::int64_t threadId = -1;
    std::int64_t stackId = -1;
};

struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t end = 0;  ///< one past the last byte
};

/// An earlier access that is not ordered against a new one, and the bytes that both touch.
struct Rival {
    OrderedAccess access;
    ByteRange bytes;
};

/// Who touched which bytes of one buffer last: the last write of each byte and, for each stream, the last
/// read since; and for each pointer that a kernel was given, the last launch on each stream. Bytes are
/// offsets in the buffer.
class ByteHistory {
public:
    /// The access that `access`, now on `stream`, should have waited for: a write before a read, and what is
    /// sure before what rests on a kernel's argument. A launch touches one byte, the one that it was given.
    /// Then takes `access` into the history.
    std::optional<Rival> touch(const HappensBefore& order, const OrderedAccess& access, ByteRange bytes);

    /// The same for a free of the whole buffer, by a stream or, with kNoStream, by the host; with `only`,
    /// against the work of that process.
    std::optional<Rival> end(const HappensBefore& order, const StreamPoint& free,
                             std::optional<ProcessId> only = {}) const;

    /// Drops what everything to come is after.
    void forgetDone(const HappensBefore& order);
    /// Things that are kept; a bound for callers.
    std::size_t size() const { return m_segments.size() + m_readCount + m_arguments.size(); }

private:
    struct Segment {
        std::uint64_t end = 0;
        std::optional<OrderedAccess> write;
        std::vector<OrderedAccess> reads;
    };
    using Segments = std::map<std::uint64_t, Segment>;

    Segments::iterator split(std::uint64_t at);
    static void offer(std::optional<Rival>& best, const HappensBefore& order, const StreamPoint& later,
                      const OrderedAccess& rival, ByteRange bytes);
    void findRivals(std::optional<Rival>& best, const HappensBefore& order, const OrderedAccess& access,
                    ByteRange bytes) const;
    void addRead(const OrderedAccess& access, ByteRange bytes);
    void addWrite(const OrderedAccess& access, ByteRange bytes);
    void noteRead(Segment& segment, const OrderedAccess& access);

    Segments m_segments;  // by first byte; they do not overlap
    std::map<std::pair<std::uint64_t, StreamIndex>, OrderedAccess> m_arguments;
    std::size_t m_readCount = 0;
};

}  // namespace vramscope::model
