// SPDX-License-Identifier: Apache-2.0
#include "gui/models/owner_chart.h"

#include <algorithm>

namespace vramscope::gui {
namespace {

constexpr std::size_t kMostBoxes = 50'000;

}  // namespace

OwnerChart ownersAround(const BufferFilter::Sources& sources, Row row, std::int64_t endNs,
                        const Cancel& cancel) {
    const BufferStore& s = *sources.store;
    OwnerChart chart;
    const auto bytes = static_cast<std::uint64_t>(std::max(s.sizeBytes[row], model::kPageBytes));
    chart.fromAddress = s.address[row] - std::min(s.address[row], bytes);
    chart.toAddress = s.address[row] + static_cast<std::uint64_t>(s.sizeBytes[row]) + bytes;
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
                               {s.allocNs[other], std::min(s.freeNs[other], endNs)}});
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
    return chart;
}

}  // namespace vramscope::gui
