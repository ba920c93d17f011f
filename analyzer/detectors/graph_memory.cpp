// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/graph_memory.h"

#include <fmt/format.h>

#include "analyzer/model/units.h"

namespace vramscope::detectors {

void tellGraphs(const model::Capture& capture, const StackGroup& group, Finding& finding) {
    std::int64_t ofGraphs = 0;
    std::int64_t orphaned = 0;
    std::int64_t orphanedBytes = 0;
    for (const model::Buffer* buffer : group.buffers) {
        if (buffer->kind != model::BufferKind::Graph) continue;
        ++ofGraphs;
        const auto exec = capture.graphs.execOfBuffer.find(buffer->id.value);
        if (exec == capture.graphs.execOfBuffer.end()) continue;
        const model::Object* row = capture.objects.find(exec->second);
        if (!row || row->endKind != model::EndKind::Freed) continue;
        ++orphaned;
        orphanedBytes = model::addClamped(orphanedBytes, buffer->sizeBytes);
    }
    if (ofGraphs == 0) return;
    finding.evidence.emplace_back("Launches of graphs allocated them, and no node of the graphs frees them.");
    if (orphaned == 0) return;
    finding.evidence.push_back(fmt::format(
        "The executable graphs of {} of them, {}, were destroyed: the memory is held on, and a trim "
        "of graph memory gives back only what was freed.",
        model::countText(orphaned), model::bytesText(orphanedBytes)));
}

}  // namespace vramscope::detectors
