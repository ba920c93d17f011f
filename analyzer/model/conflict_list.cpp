// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/conflict_list.h"

#include <algorithm>

namespace vramscope::model {

BufferConflicts::Said* BufferConflicts::find(StreamIndex one, StreamIndex other) {
    for (Said& said : m_said) {
        if ((said.one == one && said.other == other) || (said.one == other && said.other == one))
            return &said;
    }
    return nullptr;
}

ConflictList::Side ConflictList::keyOf(const OrderedSide& side) {
    return {side.action, side.call, side.kernelId, side.stackId.value, side.streamId.isNone()};
}

std::int64_t ConflictList::add(const OrderingConflict& conflict) {
    const Key key{conflict.kind, conflict.processId.value, conflict.isCertain(), keyOf(conflict.earlier),
                  keyOf(conflict.later)};
    const auto [at, isNew] = m_numbers.emplace(key, m_conflicts.size());
    if (isNew) {
        if (m_conflicts.size() >= kMostConflicts) {
            m_numbers.erase(at);
            return -1;
        }
        m_conflicts.push_back(conflict);
        m_conflicts.back().buffers = {conflict.bufferId};
        m_examples.push_back({conflict});
        return static_cast<std::int64_t>(m_conflicts.size() - 1);
    }
    OrderingConflict& known = m_conflicts[at->second];
    ++known.count;
    std::vector<OrderingConflict>& examples = m_examples[at->second];
    if (examples.size() < kMostExamples) examples.push_back(conflict);
    const bool isListed =
        std::find(known.buffers.begin(), known.buffers.end(), conflict.bufferId) != known.buffers.end();
    if (!isListed && known.buffers.size() < kMostConflictBuffers) known.buffers.push_back(conflict.bufferId);
    return static_cast<std::int64_t>(at->second);
}

void ConflictList::takeBack(std::int64_t number) {
    if (number >= 0) --at(number).count;
}

void ConflictList::takeBack(std::int64_t number, const OrderingConflict& conflict) {
    if (number < 0) return;
    takeBack(number);
    std::vector<OrderingConflict>& examples = m_examples[static_cast<std::size_t>(number)];
    std::erase_if(examples, [&](const OrderingConflict& example) {
        return example.bufferId == conflict.bufferId && example.earlier.enterNs == conflict.earlier.enterNs &&
               example.later.enterNs == conflict.later.enterNs;
    });
    OrderingConflict& known = at(number);
    if (examples.empty()) {
        // Those that are left were not kept, so nobody can say that any of them is sure.
        known.isContended = true;
        return;
    }
    const OrderingConflict& first = examples.front();
    known.processId = first.processId;
    known.bufferId = first.bufferId;
    known.earlier = first.earlier;
    known.later = first.later;
    known.offset = first.offset;
    known.sizeBytes = first.sizeBytes;
}

std::vector<OrderingConflict> ConflictList::take() {
    std::erase_if(m_conflicts, [](const OrderingConflict& conflict) { return conflict.count <= 0; });
    return std::move(m_conflicts);
}

}  // namespace vramscope::model
