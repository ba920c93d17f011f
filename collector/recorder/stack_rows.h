// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Turns the arena's stack nodes into rows of `stacks` and `frames`, each once. Addresses are tied to the
/// module that was mapped there; names come when the recording is finished.
class StackRows {
public:
    explicit StackRows(ProcessScope& scope) : m_scope(scope) {}

    /// A module of the process, from a HostModule record.
    void addModule(const formats::HostModulePayload& module, std::string_view text);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

    /// The stack of a node, with all its callers; 0 for node 0 or a damaged node.
    std::int64_t stackOf(std::uint32_t nodeId);

    /// The program file that is mapped at an address, as far as files were met in stacks; empty if none is.
    std::string_view fileAt(std::uint64_t address) const;
    /// The innermost program file of a node's stack that is not the driver, the CUDA runtime or CUPTI; empty
    /// if there is none.
    std::string_view callerOf(std::uint32_t nodeId) const;

private:
    struct Module {
        std::int64_t moduleId;
        std::uint64_t end;
        std::uint64_t loadBias;
        std::string path;
    };

    const Module* moduleAt(std::uint64_t address) const;
    std::int64_t frameOf(std::uint64_t address);
    std::int64_t rowOf(std::int64_t parentStack, std::int64_t frame);

    ProcessScope& m_scope;
    std::vector<std::int64_t> m_stacks;                        ///< by node; 0 not met yet
    std::unordered_map<std::uint64_t, std::int64_t> m_frames;  ///< by address
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
        m_rows;                                 ///< by parent and frame; only what was restored
    std::map<std::uint64_t, Module> m_modules;  ///< by first address
};

}  // namespace vramscope::collector
