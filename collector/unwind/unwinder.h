// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/unwind/arch.h"
#include "collector/unwind/module_registry.h"
#include "collector/unwind/rule_cache.h"
#include "collector/unwind/stack_bounds.h"

namespace vramscope::unwind {

/// Why an unwind ended. Everything but Complete means that frames are missing at the outer end.
enum class UnwindEnd : uint8_t {
    Complete,     ///< reached the frame that has no caller
    DepthLimit,   ///< the output is full
    UnknownCode,  ///< no usable table entry, and the frame pointer does not lead on
    SignalFrame,  ///< reached a signal handler's frame; what it interrupted is not followed
    BadStack,  ///< a saved value is damaged or missing: the next frame would lie outside the stack or below
               ///< this one
    OutsideStack,  ///< the caller does not run within the given bounds; ask findStackBounds() again
};

struct UnwindResult {
    size_t count = 0;
    UnwindEnd end = UnwindEnd::Complete;
    bool isBridged =
        false;  ///< code without a table was crossed by its frame pointer: frames may be missing in between

    bool isTruncated() const noexcept { return end != UnwindEnd::Complete; }
};

/// Walks native stacks by the modules' .eh_frame tables, through a cache of compact rules.
///
/// Made for code that runs inside other people's processes: no allocation, no lock, no exception, and on
/// cached frames no system call. On a frame seen for the first time the table is parsed (see findModule for
/// the calls that makes). Never reads outside the given stack bounds and always ends, even on damaged stacks
/// or stale rules.
///
/// Any thread, any number at once, re-entrant on one thread. Not from a signal handler where glibc is older
/// than 2.35.
///
/// Remaining hazard: rules are dropped when it is noticed that their module is gone, which is when a new
/// module is first met (see ModuleRegistry) or when a walk ends badly. Until then a new module mapped at the
/// old one's addresses, all of whose return addresses on the stack coincide with old ones, is walked with the
/// old rules. If those happen to lead to code, frames are wrong; memory stays safe.
class Unwinder {
public:
    /// The one instance for the process; its tables are zero-initialised and are never destroyed.
    static Unwinder& processWide() noexcept;

    /// Writes return addresses, innermost first: the first is where this call returns to, as with glibc's
    /// backtrace(). `bounds` are those of the stack that the caller runs on.
    UnwindResult unwind(uint64_t* returnAddresses, size_t maxCount, const StackBounds& bounds) noexcept;

    /// The same from given registers: `ip` is the first address written, `sp` and `fp` belong to its frame.
    /// Reads the stack from `sp` up.
    UnwindResult unwindFrom(const Registers& start, uint64_t* returnAddresses, size_t maxCount,
                            const StackBounds& bounds) noexcept;

    /// Forgets all rules; for whoever knows that code was unloaded, and for measuring the cold cost.
    void dropRules() noexcept;

private:
    UnwindResult walk(Registers registers, uint64_t* returnAddresses, size_t maxCount,
                      const StackBounds& bounds) noexcept;
    Rule learnRule(uint64_t ip) noexcept;
    bool dropStaleRules(const uint64_t* returnAddresses, size_t count) noexcept;
    bool bridge(const StackBounds& bounds, Registers* registers) noexcept;
    bool isReturnAddress(uint64_t ip) noexcept;

    RuleCache m_cache;
    ModuleRegistry m_registry;
};

}  // namespace vramscope::unwind
