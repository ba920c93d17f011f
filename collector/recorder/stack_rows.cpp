// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/stack_rows.h"

#include <optional>
#include <string>

namespace vramscope::collector {

void StackRows::addModule(const formats::HostModulePayload& module, std::string_view text) {
    const auto known = m_modules.find(module.base);
    if (known != m_modules.end() && known->second.loadBias == module.loadBias) return;
    const std::size_t split = text.find('\n');
    if (split == std::string_view::npos) return;
    const std::string_view buildId = text.substr(0, split);
    const std::int64_t id = m_scope.sink.nextId("modules");
    m_scope.sink.run(
        "INSERT INTO modules(module_id, process_id, path, build_id, base, size_bytes, load_bias) VALUES(?,?,?,?,?,?,?)", id,
        m_scope.processId, text.substr(split + 1), !buildId.empty() ? std::optional(buildId) : std::nullopt, module.base,
        module.sizeBytes, module.loadBias);
    m_modules[module.base] = {id, module.base + module.sizeBytes, module.loadBias};
}

std::int64_t StackRows::frameOf(std::uint64_t address) {
    const auto [found, isNew] = m_frames.try_emplace(address, 0);
    if (!isNew) return found->second;
    found->second = m_scope.sink.nextId("frames");
    std::optional<std::int64_t> moduleId;
    std::optional<std::uint64_t> offset;
    auto module = m_modules.upper_bound(address);
    if (module != m_modules.begin() && address < std::prev(module)->second.end) {
        --module;
        moduleId = module->second.moduleId;
        offset = address - module->second.loadBias;
    }
    m_scope.sink.run("INSERT INTO frames(frame_id, process_id, address, module_id, module_offset) VALUES(?,?,?,?,?)",
                     found->second, m_scope.processId, address, moduleId, offset);
    return found->second;
}

std::int64_t StackRows::stackOf(std::uint32_t nodeId) {
    // Node numbers only say "made before"; a chain is followed down to the first known one, at most a stack's depth.
    constexpr std::size_t kMaxDepth = 512;
    std::vector<std::uint32_t> unknown;
    std::int64_t stack = 0;
    for (std::uint32_t id = nodeId; id != 0 && unknown.size() < kMaxDepth;) {
        const auto known = m_stacks.find(id);
        if (known != m_stacks.end()) {
            stack = known->second;
            break;
        }
        const std::optional<formats::StackNode> node = m_scope.arena.stackNode(id);
        if (!node) break;
        unknown.push_back(id);
        id = node->parent;
    }
    while (!unknown.empty()) {
        const std::uint32_t id = unknown.back();
        unknown.pop_back();
        const std::int64_t parent = stack;
        const std::int64_t frame = frameOf(m_scope.arena.stackNode(id)->address);
        stack = m_scope.sink.nextId("stacks");
        m_scope.sink.run("INSERT INTO stacks(stack_id, parent_stack_id, frame_id) VALUES(?,?,?)", stack,
                         parent != 0 ? std::optional(parent) : std::nullopt, frame);
        m_stacks[id] = stack;
    }
    return stack;
}

}  // namespace vramscope::collector
