// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/stack_rows.h"

#include <optional>
#include <string>

#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

// Of a stack; a damaged chain of nodes could go round.
constexpr std::size_t kMaxDepth = 512;

bool isOfCuda(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file.starts_with("libcuda.so") || file.starts_with("libcudart.so") ||
           file.starts_with("libcupti.so") || file.starts_with("libsanitizer-public.so");
}

}  // namespace

void StackRows::addModule(const formats::HostModulePayload& module, std::string_view text) {
    const auto known = m_modules.find(module.base);
    if (known != m_modules.end() && known->second.loadBias == module.loadBias) return;
    const std::size_t split = text.find('\n');
    if (split == std::string_view::npos) return;
    const std::string_view buildId = text.substr(0, split);
    const std::int64_t id = m_scope.sink.nextId("modules");
    m_scope.sink.run(
        "INSERT INTO modules(module_id, process_id, path, build_id, base, size_bytes, load_bias) "
        "VALUES(?,?,?,?,?,?,?)",
        id, m_scope.processId, text.substr(split + 1),
        !buildId.empty() ? std::optional(buildId) : std::nullopt, module.base, module.sizeBytes,
        module.loadBias);
    m_modules[module.base] = {id, module.base + module.sizeBytes, module.loadBias,
                              std::string(text.substr(split + 1))};
}

const StackRows::Module* StackRows::moduleAt(std::uint64_t address) const {
    const auto after = m_modules.upper_bound(address);
    if (after == m_modules.begin()) return nullptr;
    const Module& module = std::prev(after)->second;
    return address < module.end ? &module : nullptr;
}

std::string_view StackRows::fileAt(std::uint64_t address) const {
    const Module* module = moduleAt(address);
    return module != nullptr ? std::string_view(module->path) : std::string_view();
}

std::string_view StackRows::callerOf(std::uint32_t nodeId) const {
    std::size_t depth = 0;
    for (std::uint32_t id = nodeId; id != 0 && depth < kMaxDepth; ++depth) {
        const std::optional<formats::StackNode> node = m_scope.arena.stackNode(id);
        if (!node) break;
        const std::string_view file = fileAt(node->address);
        if (!file.empty() && !isOfCuda(file)) return file;
        id = node->parent;
    }
    return {};
}

std::int64_t StackRows::frameOf(std::uint64_t address) {
    const auto [found, isNew] = m_frames.try_emplace(address, 0);
    if (!isNew) return found->second;
    found->second = m_scope.sink.nextId("frames");
    std::optional<std::int64_t> moduleId;
    std::optional<std::uint64_t> offset;
    if (const Module* module = moduleAt(address)) {
        moduleId = module->moduleId;
        offset = address - module->loadBias;
    }
    m_scope.sink.run(
        "INSERT INTO frames(frame_id, process_id, address, module_id, module_offset) VALUES(?,?,?,?,?)",
        found->second, m_scope.processId, address, moduleId, offset);
    return found->second;
}

// A node is resolved once, so rows are unique by themselves; only a restored recording meets nodes whose row
// exists.
std::int64_t StackRows::rowOf(std::int64_t parentStack, std::int64_t frame) {
    if (!m_rows.empty()) {
        const auto known = m_rows.find({parentStack, frame});
        if (known != m_rows.end()) return known->second;
    }
    const std::int64_t id = m_scope.sink.nextId("stacks");
    m_scope.sink.run("INSERT INTO stacks(stack_id, parent_stack_id, frame_id) VALUES(?,?,?)", id,
                     parentStack != 0 ? std::optional(parentStack) : std::nullopt, frame);
    return id;
}

Status StackRows::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement modules,
        capture.prepare(
            "SELECT module_id, base, size_bytes, load_bias, path FROM modules WHERE process_id=?"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(modules, m_scope.processId, [this](const formats::Statement& row) {
        const std::uint64_t base = row.columnAddress(1);
        m_modules[base] = {row.columnInt(0), base + row.columnAddress(2), row.columnAddress(3),
                           std::string(row.columnText(4))};
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement frames,
                               capture.prepare("SELECT frame_id, address FROM frames WHERE process_id=?"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(frames, m_scope.processId, [this](const formats::Statement& row) {
        m_frames[row.columnAddress(1)] = row.columnInt(0);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement stacks,
        capture.prepare("SELECT s.stack_id, s.parent_stack_id, s.frame_id FROM stacks s JOIN frames f ON "
                        "f.frame_id = s.frame_id WHERE f.process_id=?"));
    return forEachRow(stacks, m_scope.processId, [this](const formats::Statement& row) {
        m_rows[{row.columnInt(1), row.columnInt(2)}] = row.columnInt(0);
    });
}

std::int64_t StackRows::stackOf(std::uint32_t nodeId) {
    // Node numbers only say "made before"; a chain is followed down to the first known one, at most a stack's
    // depth.
    if (nodeId < m_stacks.size() && m_stacks[nodeId] != 0) return m_stacks[nodeId];
    std::vector<std::uint32_t> unknown;
    std::int64_t stack = 0;
    for (std::uint32_t id = nodeId; id != 0 && unknown.size() < kMaxDepth;) {
        if (id < m_stacks.size() && m_stacks[id] != 0) {
            stack = m_stacks[id];
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
        stack = rowOf(stack, frameOf(m_scope.arena.stackNode(id)->address));
        // A node of the arena: the number is bounded by what the arena has room for.
        if (id >= m_stacks.size()) m_stacks.resize(id + 1);
        m_stacks[id] = stack;
    }
    return stack;
}

}  // namespace vramscope::collector
