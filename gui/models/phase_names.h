// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::gui {

/// The innermost phase of a process at a moment: the one that began last of those that are open. Marks are no
/// phases. Names are views into the capture.
class PhaseNames {
public:
    explicit PhaseNames(const model::Capture& facts);

    /// Number of a name, from 0; -1 outside of every phase.
    std::int32_t at(std::int32_t process, std::int64_t timeNs) const;
    std::string_view name(std::int32_t number) const { return m_names[static_cast<std::size_t>(number)]; }

private:
    struct Part {
        std::int64_t fromNs;
        std::int32_t name;
    };
    std::vector<std::string_view> m_names;
    std::map<std::int32_t, std::vector<Part>> m_parts;  ///< by process, by time
};

}  // namespace vramscope::gui
