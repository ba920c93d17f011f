// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/unwind/arch.h"
#include "collector/unwind/module_finder.h"

namespace vramscope::unwind {

/// What the tables say about one code address.
struct CompiledRule {
    Rule rule = Rule::ofKind(RuleKind::Unknown);
    bool hasTableEntry =
        false;  ///< an FDE covers the address, so it is code and can be read from functionStart on
    uint64_t functionStart = 0;
};

/// Works out the rule for the frame that will return to `returnAddress`, from the unwind table of `module`,
/// which holds that address. Cold: parses the CIE, the FDE and their instructions; allocates nothing, calls
/// nothing.
CompiledRule compileRule(const ModuleRange& module, uint64_t returnAddress) noexcept;

}  // namespace vramscope::unwind
