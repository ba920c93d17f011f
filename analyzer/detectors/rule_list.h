// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace vramscope::detectors {

/// A rule as a command line may name it.
struct KnownRule {
    std::string_view name;
    bool canFailByDefault;  ///< the default gate may fail on it (docs/ci.md)
};

/// Every rule there is; docs/rules has a page for each.
inline constexpr auto kKnownRules = std::to_array<KnownRule>({
    {"leak.growth", true},
    {"leak.object", true},
    {"leak.vmm-handle", true},
    {"leak.pinned", true},
    {"leak.ipc-mapping", true},
    {"leak.at-exit", false},
    {"corruption.double-free", true},
    {"corruption.mismatched-free", true},
    {"corruption.refused-free", true},
    {"corruption.overflow", true},
    {"corruption.use-after-free", true},
    {"ordering.cross-stream", true},
    {"ordering.copy-source", true},
    {"ordering.pending-free", true},
    {"ordering.pool-order", true},
    {"corruption.overwrite", true},
    {"corruption.uninitialised", false},
    {"sharing.stale-import", true},
    {"sharing.alias", false},
    {"fit.out-of-memory", false},
    {"fit.fragmentation", false},
    {"fit.stranded-pages", false},
    {"fit.pool-cache", false},
    {"account.unaccounted", false},
});

/// True when `pattern` is the rule itself or its family: "leak" names "leak.growth".
inline bool namesRule(std::string_view pattern, std::string_view rule) {
    return pattern == rule ||
           (rule.size() > pattern.size() && rule.starts_with(pattern) && rule[pattern.size()] == '.');
}

}  // namespace vramscope::detectors
