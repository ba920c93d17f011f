// SPDX-License-Identifier: Apache-2.0
#include "gui/models/surroundings.h"

#include <algorithm>

namespace vramscope::gui {
namespace {

bool overlap(const BufferStore& s, Row a, Row b) {
    return s.address[a] < s.address[b] + static_cast<std::uint64_t>(s.sizeBytes[b]) &&
           s.address[b] < s.address[a] + static_cast<std::uint64_t>(s.sizeBytes[a]);
}

}  // namespace

Surroundings surroundingsOf(const BufferStore& store, Row row, std::int64_t timeNs, std::size_t mostOwners,
                            const Cancel& cancel) {
    const BufferStore& s = store;
    Surroundings result;
    result.momentNs = std::clamp(timeNs, s.allocNs[row], std::max(s.freeNs[row] - 1, s.allocNs[row]));
    std::vector<Row> owners;
    for (Row other = 0; other < s.bufferCount(); ++other) {
        if ((other & 0xfffffU) == 0 && cancel.isRequested()) return {};
        if (other == row || s.process[other] != s.process[row]) continue;
        if (overlap(s, row, other)) owners.push_back(other);
        if (!s.isLiveAt(other, result.momentNs)) continue;
        if (model::isOwnDeviceMemory(s.kind[other]) != model::isOwnDeviceMemory(s.kind[row])) continue;
        if (s.address[other] < s.address[row]) {
            if (!result.below || s.address[other] > s.address[*result.below]) result.below = other;
        } else if (!result.above || s.address[other] < s.address[*result.above]) {
            result.above = other;
        }
    }
    result.ownerCount = static_cast<std::int64_t>(owners.size());
    std::stable_sort(owners.begin(), owners.end(), [&](Row a, Row b) { return s.allocNs[a] < s.allocNs[b]; });
    const auto middle = std::partition_point(owners.begin(), owners.end(),
                                             [&](Row other) { return s.allocNs[other] < s.allocNs[row]; });
    const auto earlier =
        std::min<std::ptrdiff_t>(middle - owners.begin(), static_cast<std::ptrdiff_t>(mostOwners));
    const auto later =
        std::min<std::ptrdiff_t>(owners.end() - middle, static_cast<std::ptrdiff_t>(mostOwners));
    result.before.assign(middle - earlier, middle);
    result.after.assign(middle, middle + later);
    return result;
}

}  // namespace vramscope::gui
