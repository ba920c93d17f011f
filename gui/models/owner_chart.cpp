// SPDX-License-Identifier: Apache-2.0
#include "gui/models/owner_chart.h"

#include <algorithm>
#include <unordered_map>

namespace vramscope::gui {
namespace {

constexpr std::size_t kMostBoxes = 50'000;
/// Fields below each other that can still be read.
constexpr std::size_t kMostBands = 4;

/// Boxes come in order of their beginnings: those that have not ended are held against each new one.
void findOverlaps(OwnerChart& chart) {
    // Where there are so many, none could be seen.
    if (chart.boxes.size() > kMostBoxes / 10) return;
    std::vector<const OwnerBox*> live;
    for (const OwnerBox& box : chart.boxes) {
        std::erase_if(live, [&](const OwnerBox* other) { return other->life.toNs <= box.life.fromNs; });
        for (const OwnerBox* other : live) {
            const std::uint64_t from = std::max(box.address, other->address);
            const std::uint64_t to = std::min(box.address + static_cast<std::uint64_t>(box.bytes),
                                              other->address + static_cast<std::uint64_t>(other->bytes));
            if (from >= to) continue;
            if (chart.overlaps.size() == kMostOverlaps) return;
            chart.overlaps.push_back({from,
                                      static_cast<std::int64_t>(to - from),
                                      {box.life.fromNs, std::min(box.life.toNs, other->life.toNs)}});
        }
        live.push_back(&box);
    }
}

/// What is shown on each side of so many bytes: as much again, and a page where they are less; but of a small
/// one never so much that it could not be seen itself.
std::uint64_t marginOf(std::int64_t bytes) {
    const std::int64_t most = model::addClamped(bytes, model::addClamped(bytes, bytes));
    return static_cast<std::uint64_t>(std::max(bytes, std::min(most, model::kPageBytes)));
}

/// What lies behind a buffer's end is drawn, too.
void makeRoom(OwnerChart& chart, const OwnerBox& box, const OwnerMark& mark) {
    const std::uint64_t end = box.address + static_cast<std::uint64_t>(mark.offset) +
                              static_cast<std::uint64_t>(std::max<std::int64_t>(mark.sizeBytes, 0));
    OwnerBand& band = chart.bands[box.band];
    if (mark.kind != OwnerMark::Kind::GuardHit || end <= band.toAddress) return;
    band.toAddress = end;
    if (box.band == 0) chart.toAddress = end;
}

/// A band for each buffer that is the same physical memory as the chosen one but lies elsewhere.
void addAliases(OwnerChart& chart, const BufferFilter::Sources& sources, Row row, std::int64_t endNs) {
    const BufferStore& s = *sources.store;
    for (const model::BufferId id : aliasesOf(*sources.analysis->capture, {s.idOf(row)})) {
        const Row alias = s.rowOf(id);
        if (alias >= s.bufferCount() || chart.bands.size() == kMostBands) continue;
        const bool isShown = std::any_of(chart.boxes.begin(), chart.boxes.end(),
                                         [&](const OwnerBox& box) { return box.row == alias; });
        if (isShown) continue;
        const std::uint64_t from = s.address[alias];
        chart.boxes.push_back({alias,
                               from,
                               s.sizeBytes[alias],
                               {s.allocNs[alias], std::min(s.freeNs[alias], endNs)},
                               chart.bands.size()});
        chart.bands.push_back(
            {from, from + static_cast<std::uint64_t>(std::max<std::int64_t>(s.sizeBytes[alias], 1)), true});
    }
}

}  // namespace

OwnerChart ownersAround(const BufferFilter::Sources& sources, Row row, std::int64_t endNs,
                        const Cancel& cancel) {
    const BufferStore& s = *sources.store;
    OwnerChart chart;
    const std::uint64_t margin = marginOf(s.sizeBytes[row]);
    chart.fromAddress = s.address[row] - std::min(s.address[row], margin);
    chart.toAddress = s.address[row] + static_cast<std::uint64_t>(s.sizeBytes[row]) + margin;
    const bool isOnDevice = model::isOwnDeviceMemory(s.kind[row]);
    for (Row other = 0; other < s.bufferCount(); ++other) {
        if ((other & 0xfffffU) == 0 && cancel.isRequested()) return {};
        const auto end = s.address[other] + static_cast<std::uint64_t>(s.sizeBytes[other]);
        if (end <= chart.fromAddress || s.address[other] >= chart.toAddress) continue;
        if (s.process[other] != s.process[row] || model::isOwnDeviceMemory(s.kind[other]) != isOnDevice)
            continue;
        if (s.kind[other] == model::BufferKind::Array) continue;
        if (chart.boxes.size() == kMostBoxes) {
            ++chart.leftOut;
            continue;
        }
        chart.boxes.push_back({other,
                               s.address[other],
                               s.sizeBytes[other],
                               {s.allocNs[other], std::min(s.freeNs[other], endNs)},
                               0});
    }
    // Around a small buffer most of the stretch is empty.
    std::uint64_t first = s.address[row];
    std::uint64_t end = first + static_cast<std::uint64_t>(s.sizeBytes[row]);
    for (const OwnerBox& box : chart.boxes) {
        first = std::min(first, box.address);
        end = std::max(end, box.address + static_cast<std::uint64_t>(box.bytes));
    }
    chart.fromAddress = std::max(chart.fromAddress, first);
    chart.toAddress = std::min(chart.toAddress, end);
    std::sort(chart.boxes.begin(), chart.boxes.end(),
              [](const OwnerBox& a, const OwnerBox& b) { return a.life.fromNs < b.life.fromNs; });
    chart.bands.push_back({chart.fromAddress, chart.toAddress, false});
    findOverlaps(chart);
    return chart;
}

OwnerChart withRecord(OwnerChart chart, const BufferFilter::Sources& sources, Row row, std::int64_t endNs,
                      const Cancel& cancel) {
    if (!sources.analysis || !sources.analysis->capture || chart.bands.empty()) return chart;
    const BufferStore& s = *sources.store;
    addAliases(chart, sources, row, endNs);
    std::unordered_map<std::int64_t, std::size_t> boxOf;
    BufferSet buffers;
    for (std::size_t i = 0; i < chart.boxes.size(); ++i) {
        const std::int64_t id = s.idOf(chart.boxes[i].row);
        boxOf.emplace(id, i);
        buffers.insert(id);
    }
    auto record = ownerRecordOf(*sources.analysis, buffers, endNs, cancel);
    if (!record.isOk()) return chart;
    chart.hasRecord = true;
    chart.isRecordWhole = record->isWhole;
    for (OwnedSpan& span : record->spans) {
        if (!span.isHeap && !span.task.isNone() && taskNumber(chart, span.task) == chart.tasks.size())
            chart.tasks.push_back(span.task);
        const std::size_t box = boxOf.at(span.buffer.value);
        chart.spans.push_back({std::move(span), box});
    }
    for (OwnerMark& mark : record->marks) {
        const std::size_t box = boxOf.at(mark.buffer.value);
        makeRoom(chart, chart.boxes[box], mark);
        const auto through = boxOf.find(mark.through.value);
        chart.marks.push_back({std::move(mark), box, through == boxOf.end() ? box : through->second});
    }
    std::stable_sort(chart.marks.begin(), chart.marks.end(),
                     [](const PlacedMark& a, const PlacedMark& b) { return a.box < b.box; });
    return chart;
}

std::size_t taskNumber(const OwnerChart& chart, model::TaskId task) {
    return static_cast<std::size_t>(std::find(chart.tasks.begin(), chart.tasks.end(), task) -
                                    chart.tasks.begin());
}

}  // namespace vramscope::gui
