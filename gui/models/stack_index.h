// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::gui {

/// Texts of every stack of a capture, worked out once: millions of buffers share few stacks. Immutable; any
/// thread may read it.
class StackIndex {
public:
    explicit StackIndex(std::shared_ptr<const model::Capture> facts);

    /// "train.py:88 make_mask".
    const std::string& placeOf(std::int64_t stackId) const;
    /// The library that asked: "torch".
    const std::string& libraryOf(std::int64_t stackId, model::ProcessId process) const;
    /// For each stack whether `wanted(frame)` holds for one of its frames; by position in facts().stacks.
    std::vector<bool> stacksWith(const std::function<bool(const model::Frame&)>& wanted) const;
    /// Position of a stack in facts().stacks; -1 when there is none.
    std::int64_t positionOf(std::int64_t stackId) const;

    const model::Capture& facts() const { return *m_facts; }
    std::shared_ptr<const model::Capture> sharedFacts() const { return m_facts; }

private:
    std::shared_ptr<const model::Capture> m_facts;
    std::vector<std::string> m_places;
    std::vector<std::string> m_libraries;
    std::unordered_map<std::int64_t, std::string> m_programs;
    std::string m_unknownPlace;
};

}  // namespace vramscope::gui
