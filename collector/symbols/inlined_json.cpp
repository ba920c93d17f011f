// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/inlined_json.h"

#include <nlohmann/json.hpp>

namespace vramscope::symbols {

std::optional<std::string> inlinedJson(const std::vector<SourcePlace>& inlined) {
    if (inlined.empty()) return std::nullopt;
    nlohmann::json list = nlohmann::json::array();
    for (const SourcePlace& place : inlined) {
        nlohmann::json entry = nlohmann::json::object();
        if (!place.function.empty()) entry["function"] = place.function;
        if (!place.file.empty()) entry["file"] = place.file;
        if (place.line != 0) entry["line"] = place.line;
        list.push_back(std::move(entry));
    }
    return list.dump();
}

}  // namespace vramscope::symbols
