// SPDX-License-Identifier: Apache-2.0
#include "gui/models/phase_names.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace vramscope::gui {

PhaseNames::PhaseNames(const model::Capture& facts) {
    struct Edge {
        std::int64_t timeNs;
        bool isBegin;
        const model::Phase* phase;
    };
    std::map<std::int32_t, std::vector<Edge>> edges;
    for (const model::Phase& phase : facts.phases) {
        if (phase.kind == "mark" || phase.endNs <= phase.startNs) continue;
        std::vector<Edge>& of = edges[static_cast<std::int32_t>(phase.processId.value)];
        of.push_back({phase.startNs, true, &phase});
        of.push_back({phase.endNs, false, &phase});
    }
    std::unordered_map<std::string_view, std::int32_t> numbers;
    for (auto& [process, list] : edges) {
        // At one moment ends come before beginnings.
        std::stable_sort(list.begin(), list.end(), [](const Edge& a, const Edge& b) {
            return a.timeNs != b.timeNs ? a.timeNs < b.timeNs : a.isBegin < b.isBegin;
        });
        std::set<std::pair<std::int64_t, const model::Phase*>> open;
        std::vector<Part>& parts = m_parts[process];
        for (const Edge& edge : list) {
            if (edge.isBegin)
                open.emplace(edge.phase->startNs, edge.phase);
            else
                open.erase({edge.phase->startNs, edge.phase});
            std::int32_t name = -1;
            if (!open.empty()) {
                const std::string_view text = open.rbegin()->second->name;
                const auto [found, isNew] = numbers.emplace(text, static_cast<std::int32_t>(m_names.size()));
                if (isNew) m_names.push_back(text);
                name = found->second;
            }
            if (!parts.empty() && parts.back().fromNs == edge.timeNs)
                parts.back().name = name;
            else if (parts.empty() || parts.back().name != name)
                parts.push_back({edge.timeNs, name});
        }
    }
}

std::int32_t PhaseNames::at(std::int32_t process, std::int64_t timeNs) const {
    const auto of = m_parts.find(process);
    if (of == m_parts.end()) return -1;
    const auto after =
        std::upper_bound(of->second.begin(), of->second.end(), timeNs,
                         [](std::int64_t time, const Part& part) { return time < part.fromNs; });
    return after == of->second.begin() ? -1 : std::prev(after)->name;
}

}  // namespace vramscope::gui
