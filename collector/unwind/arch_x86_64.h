// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/unwind/cfi_program.h"
#include "collector/unwind/stack_bounds.h"
#include "collector/unwind/stack_memory.h"

namespace vramscope::unwind {

/// DWARF numbers of the registers that we follow (System V ABI, AMD64 supplement, figure 3.36).
constexpr uint64_t kFramePointerRegister = 6;
constexpr uint64_t kStackPointerRegister = 7;
constexpr uint64_t kReturnAddressRegister = 16;

/// Code addresses above this are not cached: user space ends here unless a program asks for 57-bit addresses.
constexpr unsigned kCodeAddressBits = 47;

struct Registers {
    uint64_t ip = 0;
    uint64_t sp = 0;
    uint64_t fp = 0;
};

enum class RuleKind : uint8_t {
    Empty,             ///< no rule: the cache's word for "not here"
    FromStackPointer,  ///< CFA = sp + offset
    FromFramePointer,  ///< CFA = fp + offset
    Realigned,         ///< CFA = *(fp + offset): GCC's code for a function that aligns its stack
    Outermost,         ///< the table says that there is no caller
    SignalFrame,       ///< a signal handler was entered here
    Unknown,           ///< no table entry, or one that we do not follow
};

/// How to get from one frame to its caller, in 30 bits: 3 of kind, 19 of CFA offset, 8 of saved frame
/// pointer, the latter two in words of 8 bytes. That holds frames up to 4 MiB; compilers push rbp within 64
/// bytes of the CFA.
class Rule {
public:
    static constexpr unsigned kBits = 30;

    constexpr Rule() noexcept = default;
    static constexpr Rule fromBits(uint32_t bits) noexcept { return Rule(bits); }
    static constexpr Rule ofKind(RuleKind kind) noexcept { return Rule(static_cast<uint32_t>(kind)); }

    /// `fpOffsetBytes` is where the caller's frame pointer was saved: relative to the CFA, or for Realigned
    /// to fp (0 otherwise means "not saved"). Gives Unknown when an offset is no multiple of 8 or does not
    /// fit.
    static constexpr Rule make(RuleKind kind, int64_t cfaOffsetBytes, int64_t fpOffsetBytes) noexcept {
        if (cfaOffsetBytes % 8 != 0 || fpOffsetBytes % 8 != 0) return ofKind(RuleKind::Unknown);
        const uint64_t cfa = static_cast<uint64_t>(cfaOffsetBytes / 8) + kCfaBias;
        const uint64_t fp = static_cast<uint64_t>(fpOffsetBytes / 8) + kFpBias;
        if (cfa >> kCfaBits != 0 || fp >> kFpBits != 0) return ofKind(RuleKind::Unknown);
        return Rule(static_cast<uint32_t>(static_cast<uint64_t>(kind) | cfa << kCfaShift | fp << kFpShift));
    }

    constexpr bool operator==(const Rule&) const noexcept = default;
    constexpr uint32_t bits() const noexcept { return m_bits; }
    constexpr bool isEmpty() const noexcept { return m_bits == 0; }
    constexpr RuleKind kind() const noexcept { return static_cast<RuleKind>(m_bits & 7); }
    constexpr int64_t cfaOffsetBytes() const noexcept { return field(kCfaShift, kCfaBits, kCfaBias); }
    constexpr int64_t fpOffsetBytes() const noexcept { return field(kFpShift, kFpBits, kFpBias); }

private:
    static constexpr unsigned kCfaShift = 3;
    static constexpr unsigned kCfaBits = 19;
    static constexpr unsigned kFpShift = kCfaShift + kCfaBits;
    static constexpr unsigned kFpBits = 8;
    static_assert(kFpShift + kFpBits == kBits);
    // CFA offsets are negative only for Realigned, by a few words; saved frame pointers lie on both sides.
    static constexpr uint64_t kCfaBias = 64;
    static constexpr uint64_t kFpBias = 128;

    explicit constexpr Rule(uint32_t bits) noexcept : m_bits(bits) {}

    constexpr int64_t field(unsigned shift, unsigned bits, uint64_t bias) const noexcept {
        const uint32_t words = m_bits >> shift & ((1u << bits) - 1);
        return (static_cast<int64_t>(words) - static_cast<int64_t>(bias)) * 8;
    }

    uint32_t m_bits = 0;
};

/// The caller of the function that this is inlined into. Asking for the frame address makes the compiler set
/// up rbp in that function, so the caller's rbp and the return address lie at fixed places.
__attribute__((always_inline)) inline Registers callerRegisters() noexcept {
    const auto frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    return {loadStackWord(frame + 8), frame + 16, loadStackWord(frame)};
}

enum class StepStatus : uint8_t { Stepped, Outermost, SignalFrame, Unknown, BadStack };

/// Replaces `registers` by the caller's. Reads only words within [sp, bounds.high), and leaves sp larger than
/// before, whatever the rule says: a rule may be stale and the stack may be corrupt.
inline StepStatus applyRule(Rule rule, const StackBounds& bounds, Registers* registers) noexcept {
    uint64_t cfa = 0;
    uint64_t fpSlotBase = 0;
    switch (rule.kind()) {
        case RuleKind::FromStackPointer:
            cfa = registers->sp + static_cast<uint64_t>(rule.cfaOffsetBytes());
            fpSlotBase = cfa;
            break;
        case RuleKind::FromFramePointer:
            cfa = registers->fp + static_cast<uint64_t>(rule.cfaOffsetBytes());
            fpSlotBase = cfa;
            break;
        case RuleKind::Realigned: {
            const uint64_t slot = registers->fp + static_cast<uint64_t>(rule.cfaOffsetBytes());
            if (!isStackWord(slot, registers->sp, bounds)) return StepStatus::BadStack;
            cfa = loadStackWord(slot);
            fpSlotBase = registers->fp;
            break;
        }
        case RuleKind::Outermost:
            return StepStatus::Outermost;
        case RuleKind::SignalFrame:
            return StepStatus::SignalFrame;
        default:
            return StepStatus::Unknown;
    }
    // The call pushed the return address, so a CFA that does not lie above sp is wrong.
    if (cfa <= registers->sp || !isStackWord(cfa - 8, registers->sp, bounds)) return StepStatus::BadStack;
    if (rule.fpOffsetBytes() != 0 || rule.kind() == RuleKind::Realigned) {
        const uint64_t slot = fpSlotBase + static_cast<uint64_t>(rule.fpOffsetBytes());
        if (!isStackWord(slot, registers->sp, bounds)) return StepStatus::BadStack;
        registers->fp = loadStackWord(slot);
    }
    registers->ip = loadStackWord(cfa - 8);
    registers->sp = cfa;
    return StepStatus::Stepped;
}

/// Turns a row of the unwind table into a rule. `pc` is the address that the row was looked up for. Unknown
/// for what a rule cannot say: a CFA from any other register, a return address elsewhere than below the CFA.
Rule ruleFromRow(const FrameRow& row, uint64_t pc) noexcept;

/// Follows the frame pointer convention for code without a table: *fp is the caller's frame pointer and the
/// word above it the return address. BadStack when fp cannot be one.
inline StepStatus stepByFramePointer(const StackBounds& bounds, Registers* registers) noexcept {
    const uint64_t fp = registers->fp;
    if (!isStackWord(fp, registers->sp, bounds) || !isStackWord(fp + 8, registers->sp, bounds)) {
        return StepStatus::BadStack;
    }
    *registers = {loadStackWord(fp + 8), fp + 16, loadStackWord(fp)};
    return StepStatus::Stepped;
}

/// Whether the bytes before `ip` end a call instruction. `functionStart` is the first byte that may be read.
bool followsCall(uint64_t ip, uint64_t functionStart) noexcept;

}  // namespace vramscope::unwind
