// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace vramscope::collector {

enum class CheckResult { Ok, Warn, Fail };

/// One thing that `vramscope doctor` looked at.
struct Check {
    std::string name;  ///< one or two words, the same on every machine
    CheckResult result = CheckResult::Ok;
    std::string text;  ///< what was found, one line
    std::string fix;   ///< what to do about it; empty when nothing is wrong
};

using Checks = std::vector<Check>;

inline Check okCheck(std::string name, std::string text) {
    return {std::move(name), CheckResult::Ok, std::move(text), {}};
}
/// Something will be missing or slower; a run works.
inline Check warnCheck(std::string name, std::string text, std::string fix) {
    return {std::move(name), CheckResult::Warn, std::move(text), std::move(fix)};
}
/// A run would not be recorded.
inline Check failCheck(std::string name, std::string text, std::string fix) {
    return {std::move(name), CheckResult::Fail, std::move(text), std::move(fix)};
}

}  // namespace vramscope::collector
