// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/graph_events.h"

#include <cuda.h>

#include "collector/inject/clock.h"
#include "collector/inject/hot_data.h"

namespace vramscope::collector {

void announceCapturedNode(ThreadState& thread, const CUpti_ResourceData& data) {
    if (g_hot.openCaptures.load(std::memory_order_relaxed) <= 0) return;
    const auto* node = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
    if (node == nullptr ||
        static_cast<unsigned>(node->nodeType) >= static_cast<unsigned>(formats::GraphNodeKind::Count))
        return;
    formats::Record* record = reserve(thread, 1);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::GraphNode);
    record->header.slotCount = 1;
    record->header.detail =
        static_cast<std::uint8_t>(static_cast<unsigned>(node->nodeType) | formats::kNodeAnnounced);
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->graphNode = {reinterpret_cast<std::uint64_t>(node->graph),
                         reinterpret_cast<std::uint64_t>(node->node), 0, 0};
    publish(thread, 1);
}

}  // namespace vramscope::collector
