// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "gui/models/address_order.h"
#include "gui/models/buffer_filter.h"

namespace vramscope::gui {

/// A part of an arena: a buffer, or nothing.
struct MapPiece {
    std::int64_t offsetBytes = 0;
    std::int64_t bytes = 0;
    Row row = 0;             ///< the buffer; of no meaning for a hole
    bool isHole = false;     ///< unused room between buffers
    bool isRoom = false;     ///< unused room behind the last, which can still grow; no hole
    bool isBlock = false;    ///< of a heap of the program: `row` is a position in AddressMap::blocks
    bool isPinning = false;  ///< stands beside the largest hole, or where a larger one would have to be
};

/// A range that an allocator cuts up, at one moment.
struct MapArena {
    enum class Kind { Reservation, SmallPages, Pool, Heap };
    Kind kind = Kind::Reservation;
    QString title;  ///< empty for small pages, of which there are thousands: titleOf() words it
    QString pid;    ///< of the process whose small pages they are
    QString note;   ///< what the order of the pieces means, where that is not plain
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t usedBytes = 0;
    std::int64_t holeBytes = 0;
    std::int64_t largestHoleBytes = 0;
    std::vector<MapPiece> pieces;  ///< in order of the offset, without overlap

    bool hasPinning() const;
};

/// What an arena is, in words.
QString titleOf(const MapArena& arena);

/// Where a request would go in an arena: the smallest unused stretch that has room for it.
struct MapFit {
    std::int64_t offsetBytes =
        0;  ///< where it would lie; where it does not fit, the begin of the largest hole
    bool fits = false;
};
MapFit fitOf(const MapArena& arena, std::int64_t bytes);

/// Memory that the driver places page by page: where it lies says nothing about what fits.
struct MapTotal {
    QString title;
    QString filter;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
};

/// What a heap of the program handed out.
struct MapBlock {
    Row row = 0;   ///< the buffer that it is a part of
    QString name;  ///< as the program calls it; may be empty
    QString owner;
    std::int64_t bytes = 0;
    std::int64_t startNs = 0;
    model::StackId stack;
};

struct AddressMap {
    std::vector<MapArena> arenas;  ///< most holes first
    std::vector<MapBlock> blocks;
    std::vector<MapTotal> totals;
    std::int64_t timeNs = 0;
};

/// What lies where at a moment, within the process and device of the selection. `order` is that of the store.
AddressMap addressMapAt(const BufferFilter::Sources& sources, const AddressOrder& order,
                        const Selection& scope, std::int64_t timeNs, const Cancel& cancel);

}  // namespace vramscope::gui
