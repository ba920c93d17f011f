// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/arch_x86_64.h"

#include "collector/unwind/address.h"

namespace vramscope::unwind {
namespace {

constexpr uint8_t kOpDeref = 0x06;
constexpr uint8_t kOpAnd = 0x1a;
constexpr uint8_t kOpPlus = 0x22;
constexpr uint8_t kOpShl = 0x24;
constexpr uint8_t kOpGe = 0x2a;
constexpr uint8_t kOpLit0 = 0x30;
constexpr uint8_t kOpLit31 = 0x4f;
constexpr uint8_t kOpBregFp = 0x70 + kFramePointerRegister;
constexpr uint8_t kOpBregSp = 0x70 + kStackPointerRegister;
constexpr uint8_t kOpBregIp = 0x70 + kReturnAddressRegister;

/// Reads DW_OP_lit0..31; fails the match otherwise.
bool readLiteral(ByteReader& reader, uint64_t* value) noexcept {
    const uint8_t op = reader.read<uint8_t>();
    if (op < kOpLit0 || op > kOpLit31) return false;
    *value = op - kOpLit0;
    return reader.ok();
}

bool readOp(ByteReader& reader, uint8_t op) noexcept {
    return reader.read<uint8_t>() == op && reader.ok();
}

/// Every linker writes one FDE for the whole procedure linkage table, with the expression
/// rsp + 8 + ((rip & 15) >= N) << 3, where N is the offset of the instruction after the push. It depends on
/// the address alone, so for one address it is a constant.
bool matchPlt(ByteRange expression, uint64_t pc, int64_t* cfaOffsetBytes) noexcept {
    ByteReader reader(expression);
    if (!readOp(reader, kOpBregSp)) return false;
    const int64_t offset = reader.readSleb();
    if (!readOp(reader, kOpBregIp) || reader.readSleb() != 0) return false;
    uint64_t mask = 0;
    uint64_t threshold = 0;
    uint64_t shift = 0;
    if (!readLiteral(reader, &mask) || !readOp(reader, kOpAnd)) return false;
    if (!readLiteral(reader, &threshold) || !readOp(reader, kOpGe)) return false;
    if (!readLiteral(reader, &shift) || !readOp(reader, kOpShl) || !readOp(reader, kOpPlus)) return false;
    if (!reader.atEnd() || offset < 0 || offset > 4096) return false;
    *cfaOffsetBytes = offset + ((pc & mask) >= threshold ? int64_t{1} << shift : 0);
    return true;
}

/// breg6(offset), followed by a deref when `derefs`.
bool matchFramePointerOffset(ByteRange expression, bool derefs, int64_t* offsetBytes) noexcept {
    ByteReader reader(expression);
    if (!readOp(reader, kOpBregFp)) return false;
    *offsetBytes = reader.readSleb();
    if (derefs && !readOp(reader, kOpDeref)) return false;
    return reader.ok() && reader.atEnd();
}

Rule ruleFromExpression(const FrameRow& row, uint64_t pc) noexcept {
    int64_t cfaOffset = 0;
    int64_t fpOffset = 0;
    if (matchPlt(row.cfaExpression, pc, &cfaOffset) && row.framePointer.kind == SlotKind::Same) {
        return Rule::make(RuleKind::FromStackPointer, cfaOffset, 0);
    }
    if (matchFramePointerOffset(row.cfaExpression, true, &cfaOffset) &&
        row.framePointer.kind == SlotKind::Expression &&
        matchFramePointerOffset(row.framePointer.expression, false, &fpOffset)) {
        return Rule::make(RuleKind::Realigned, cfaOffset, fpOffset);
    }
    return Rule::ofKind(RuleKind::Unknown);
}

}  // namespace

Rule ruleFromRow(const FrameRow& row, uint64_t pc) noexcept {
    const Rule unknown = Rule::ofKind(RuleKind::Unknown);
    if (row.returnAddress.kind == SlotKind::Undefined) return Rule::ofKind(RuleKind::Outermost);
    if (row.returnAddress.kind != SlotKind::AtCfa || row.returnAddress.cfaOffsetBytes != -8) return unknown;
    if (row.cfaKind == CfaKind::Expression) return ruleFromExpression(row, pc);
    if (row.cfaKind != CfaKind::Register) return unknown;

    int64_t fpOffset = 0;
    if (row.framePointer.kind == SlotKind::AtCfa) {
        fpOffset = row.framePointer.cfaOffsetBytes;
        if (fpOffset >= 0) return unknown;
    } else if (row.framePointer.kind == SlotKind::Expression || row.framePointer.kind == SlotKind::Other) {
        return unknown;
    }
    if (row.cfaRegister == kStackPointerRegister) {
        return Rule::make(RuleKind::FromStackPointer, row.cfaOffsetBytes, fpOffset);
    }
    if (row.cfaRegister == kFramePointerRegister) {
        return Rule::make(RuleKind::FromFramePointer, row.cfaOffsetBytes, fpOffset);
    }
    return unknown;
}

/// E8 is a near call; FF with 2 in the middle of the next byte calls through a register or memory and is 2 to
/// 7 bytes long, with a REX prefix in front or not.
bool followsCall(uint64_t ip, uint64_t functionStart) noexcept {
    if (ip < functionStart) return false;
    const uint64_t available = ip - functionStart;
    const auto* code = pointerAt<const uint8_t>(ip);
    if (available >= 5 && code[-5] == 0xe8) return true;
    for (int length = 2; length <= 7 && static_cast<uint64_t>(length) <= available; ++length) {
        if (code[-length] == 0xff && (code[1 - length] & 0x38) == 0x10) return true;
    }
    return false;
}

}  // namespace vramscope::unwind
