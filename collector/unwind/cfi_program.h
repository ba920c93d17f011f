// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/unwind/byte_reader.h"

namespace vramscope::unwind {

/// How the canonical frame address (the caller's stack pointer) is found.
enum class CfaKind : uint8_t {
    Unknown,
    Register,    ///< value of `cfaRegister` + `cfaOffsetBytes`
    Expression,  ///< a DWARF expression, not evaluated here
};

/// Where the caller's value of one register is.
enum class SlotKind : uint8_t {
    Same,        ///< still in the register
    AtCfa,       ///< in memory at CFA + offset
    Expression,  ///< in memory at the address that an expression gives
    Undefined,   ///< gone; for the return address this marks the outermost frame
    Other,       ///< a rule that compilers do not use for these registers
};

struct SlotRule {
    SlotKind kind = SlotKind::Same;
    int64_t cfaOffsetBytes = 0;
    ByteRange expression;
};

/// One row of the unwind table, reduced to the two registers that we follow.
struct FrameRow {
    CfaKind cfaKind = CfaKind::Unknown;
    uint64_t cfaRegister = 0;
    int64_t cfaOffsetBytes = 0;
    ByteRange cfaExpression;
    SlotRule framePointer;
    SlotRule returnAddress;
};

/// The call frame instructions for one function, as its CIE and FDE give them. Points into the module's
/// memory.
struct CfiProgram {
    ByteRange initialInstructions;
    ByteRange instructions;
    uint64_t codeAlign = 1;
    int64_t dataAlign = 1;
    uint64_t startIp = 0;
    uint64_t endIp = 0;  ///< first address after the function
    uint64_t framePointerRegister = 0;
    uint64_t returnAddressRegister = 0;
    uint8_t pointerEncoding = 0;
    bool isSignalFrame = false;
};

/// Runs the program up to `pc` and gives the row that holds there. False when the instructions are truncated,
/// unknown, nested deeper than 8 remembered states, or restore a state that was never remembered; `row` is
/// then meaningless. Reads nothing outside the two instruction ranges, allocates nothing, ends after at most
/// one pass. Opcodes: DWARF 5 section 6.4.2 and the GNU extensions listed in the Linux Standard Base.
bool rowAt(const CfiProgram& program, uint64_t pc, FrameRow* row) noexcept;

}  // namespace vramscope::unwind
