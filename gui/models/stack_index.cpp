// SPDX-License-Identifier: Apache-2.0
#include "gui/models/stack_index.h"

#include "analyzer/model/library.h"
#include "analyzer/model/stack_text.h"

namespace vramscope::gui {

StackIndex::StackIndex(std::shared_ptr<const model::Capture> facts)
    : m_facts(std::move(facts)), m_unknownPlace(model::shortPlace(*m_facts, {})) {
    m_places.reserve(m_facts->stacks.size());
    m_libraries.reserve(m_facts->stacks.size());
    for (const model::Stack& stack : m_facts->stacks) {
        m_places.push_back(model::shortPlace(*m_facts, stack.id));
        m_libraries.push_back(model::libraryOfStack(*m_facts, stack.id, {}).name);
    }
    for (const model::Process& process : m_facts->processes)
        m_programs.emplace(process.id.value, std::string(m_facts->programName(process.id)));
}

std::int64_t StackIndex::positionOf(std::int64_t stackId) const {
    const model::Stack* stack = m_facts->stacks.find({stackId});
    return stack ? stack - m_facts->stacks.rows().data() : -1;
}

const std::string& StackIndex::placeOf(std::int64_t stackId) const {
    const std::int64_t position = positionOf(stackId);
    return position < 0 ? m_unknownPlace : m_places[static_cast<std::size_t>(position)];
}

const std::string& StackIndex::libraryOf(std::int64_t stackId, model::ProcessId process) const {
    const std::int64_t position = positionOf(stackId);
    if (position >= 0 && !m_libraries[static_cast<std::size_t>(position)].empty())
        return m_libraries[static_cast<std::size_t>(position)];
    const auto at = m_programs.find(process.value);
    return at == m_programs.end() ? m_unknownPlace : at->second;
}

std::vector<bool> StackIndex::stacksWith(const std::function<bool(const model::Frame&)>& wanted) const {
    std::vector<bool> frameFits(m_facts->frames.size());
    for (std::size_t i = 0; i < frameFits.size(); ++i)
        frameFits[i] = wanted(m_facts->frames.rows()[i]);
    std::vector<bool> fits(m_facts->stacks.size());
    for (std::size_t i = 0; i < fits.size(); ++i) {
        const model::Stack* stack = &m_facts->stacks.rows()[i];
        for (std::size_t depth = 0; stack && depth < model::kDeepestStack && !fits[i]; ++depth) {
            const model::Frame* frame = m_facts->frames.find(stack->frameId);
            if (frame && frameFits[static_cast<std::size_t>(frame - m_facts->frames.rows().data())])
                fits[i] = true;
            stack = m_facts->stacks.find(stack->parentId);
        }
    }
    return fits;
}

}  // namespace vramscope::gui
