// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/cfi_program.h"

#include "collector/unwind/dwarf_pointer.h"

namespace vramscope::unwind {
namespace {

enum class Op : uint8_t {
    Nop = 0x00,
    SetLoc = 0x01,
    AdvanceLoc1 = 0x02,
    AdvanceLoc2 = 0x03,
    AdvanceLoc4 = 0x04,
    OffsetExtended = 0x05,
    RestoreExtended = 0x06,
    Undefined = 0x07,
    SameValue = 0x08,
    Register = 0x09,
    RememberState = 0x0a,
    RestoreState = 0x0b,
    DefCfa = 0x0c,
    DefCfaRegister = 0x0d,
    DefCfaOffset = 0x0e,
    DefCfaExpression = 0x0f,
    Expression = 0x10,
    OffsetExtendedSf = 0x11,
    DefCfaSf = 0x12,
    DefCfaOffsetSf = 0x13,
    ValOffset = 0x14,
    ValOffsetSf = 0x15,
    ValExpression = 0x16,
    GnuArgsSize = 0x2e,
    GnuNegativeOffsetExtended = 0x2f,
};

constexpr uint8_t kHighAdvance = 0x40;
constexpr uint8_t kHighOffset = 0x80;
constexpr uint8_t kHighRestore = 0xc0;

/// The state of one run. Sums and products go through uint64_t because hostile numbers may wrap.
class Interpreter {
public:
    Interpreter(const CfiProgram& program, uint64_t pc) noexcept
        : m_program(program), m_pc(pc), m_location(program.startIp) {}

    bool run(FrameRow* row) noexcept {
        if (!runRange(m_program.initialInstructions, false)) return false;
        m_initial = m_row;
        if (!runRange(m_program.instructions, true)) return false;
        *row = m_row;
        return true;
    }

private:
    static constexpr int kMaxRemembered = 8;

    bool runRange(ByteRange range, bool mayMove) noexcept {
        ByteReader reader(range);
        while (!reader.atEnd()) {
            const uint8_t byte = reader.read<uint8_t>();
            uint64_t next = m_location;
            if (!execute(reader, byte, &next) || !reader.ok()) return false;
            if (next == m_location) continue;
            // Only an FDE describes addresses, and they only grow.
            if (!mayMove || next < m_location) return false;
            if (next > m_pc) return true;
            m_location = next;
        }
        return true;
    }

    bool execute(ByteReader& reader, uint8_t byte, uint64_t* next) noexcept {
        const uint8_t low = byte & 0x3f;
        switch (byte & 0xc0) {
            case kHighAdvance:
                *next = m_location + low * m_program.codeAlign;
                return true;
            case kHighOffset:
                setSlot(low, {SlotKind::AtCfa, scaled(reader.readUleb()), {}});
                return true;
            case kHighRestore:
                restore(low);
                return true;
            default:
                return executeMove(reader, static_cast<Op>(byte), next) ||
                       executeCfa(reader, static_cast<Op>(byte)) ||
                       executeRegister(reader, static_cast<Op>(byte)) ||
                       executeState(reader, static_cast<Op>(byte));
        }
    }

    bool executeMove(ByteReader& reader, Op op, uint64_t* next) noexcept {
        switch (op) {
            case Op::SetLoc:
                return readPointer(reader, m_program.pointerEncoding, 0, next);
            case Op::AdvanceLoc1:
                *next = m_location + reader.read<uint8_t>() * m_program.codeAlign;
                return true;
            case Op::AdvanceLoc2:
                *next = m_location + reader.read<uint16_t>() * m_program.codeAlign;
                return true;
            case Op::AdvanceLoc4:
                *next = m_location + reader.read<uint32_t>() * m_program.codeAlign;
                return true;
            default:
                return false;
        }
    }

    bool executeCfa(ByteReader& reader, Op op) noexcept {
        switch (op) {
            case Op::DefCfa:
                m_row.cfaRegister = reader.readUleb();
                m_row.cfaOffsetBytes = static_cast<int64_t>(reader.readUleb());
                m_row.cfaKind = CfaKind::Register;
                return true;
            case Op::DefCfaSf:
                m_row.cfaRegister = reader.readUleb();
                m_row.cfaOffsetBytes = scaled(static_cast<uint64_t>(reader.readSleb()));
                m_row.cfaKind = CfaKind::Register;
                return true;
            case Op::DefCfaRegister:
                m_row.cfaRegister = reader.readUleb();
                return m_row.cfaKind == CfaKind::Register;
            case Op::DefCfaOffset:
                m_row.cfaOffsetBytes = static_cast<int64_t>(reader.readUleb());
                return m_row.cfaKind == CfaKind::Register;
            case Op::DefCfaOffsetSf:
                m_row.cfaOffsetBytes = scaled(static_cast<uint64_t>(reader.readSleb()));
                return m_row.cfaKind == CfaKind::Register;
            case Op::DefCfaExpression:
                m_row.cfaExpression = reader.readRange(reader.readUleb());
                m_row.cfaKind = CfaKind::Expression;
                return true;
            default:
                return false;
        }
    }

    bool executeRegister(ByteReader& reader, Op op) noexcept {
        if (!namesRegister(op)) return false;
        const uint64_t number = reader.readUleb();
        switch (op) {
            case Op::OffsetExtended:
                setSlot(number, {SlotKind::AtCfa, scaled(reader.readUleb()), {}});
                return true;
            case Op::OffsetExtendedSf:
                setSlot(number, {SlotKind::AtCfa, scaled(static_cast<uint64_t>(reader.readSleb())), {}});
                return true;
            case Op::GnuNegativeOffsetExtended:
                setSlot(number, {SlotKind::AtCfa, scaled(uint64_t{0} - reader.readUleb()), {}});
                return true;
            case Op::RestoreExtended:
                restore(number);
                return true;
            case Op::Undefined:
                setSlot(number, {SlotKind::Undefined, 0, {}});
                return true;
            case Op::SameValue:
                setSlot(number, {SlotKind::Same, 0, {}});
                return true;
            case Op::Expression:
                setSlot(number, {SlotKind::Expression, 0, reader.readRange(reader.readUleb())});
                return true;
            case Op::ValExpression:
                reader.skip(reader.readUleb());
                setSlot(number, {SlotKind::Other, 0, {}});
                return true;
            default:  // Register, ValOffset, ValOffsetSf: one more LEB128 whose value we cannot use
                reader.readUleb();
                setSlot(number, {SlotKind::Other, 0, {}});
                return true;
        }
    }

    bool executeState(ByteReader& reader, Op op) noexcept {
        switch (op) {
            case Op::Nop:
                return true;
            case Op::GnuArgsSize:
                // Exception handlers that pop arguments need the number; the CFA already includes it.
                reader.readUleb();
                return true;
            case Op::RememberState:
                if (m_remembered == kMaxRemembered) return false;
                m_stack[m_remembered++] = m_row;
                return true;
            case Op::RestoreState:
                if (m_remembered == 0) return false;
                m_row = m_stack[--m_remembered];
                return true;
            default:
                return false;
        }
    }

    static bool namesRegister(Op op) noexcept {
        switch (op) {
            case Op::OffsetExtended:
            case Op::OffsetExtendedSf:
            case Op::GnuNegativeOffsetExtended:
            case Op::RestoreExtended:
            case Op::Undefined:
            case Op::SameValue:
            case Op::Register:
            case Op::Expression:
            case Op::ValExpression:
            case Op::ValOffset:
            case Op::ValOffsetSf:
                return true;
            default:
                return false;
        }
    }

    int64_t scaled(uint64_t factor) const noexcept {
        return static_cast<int64_t>(factor * static_cast<uint64_t>(m_program.dataAlign));
    }

    void setSlot(uint64_t number, const SlotRule& rule) noexcept {
        if (number == m_program.framePointerRegister) m_row.framePointer = rule;
        if (number == m_program.returnAddressRegister) m_row.returnAddress = rule;
    }

    void restore(uint64_t number) noexcept {
        if (number == m_program.framePointerRegister) m_row.framePointer = m_initial.framePointer;
        if (number == m_program.returnAddressRegister) m_row.returnAddress = m_initial.returnAddress;
    }

    const CfiProgram& m_program;
    const uint64_t m_pc;
    uint64_t m_location;
    FrameRow m_row;
    FrameRow m_initial;
    FrameRow m_stack[kMaxRemembered];
    int m_remembered = 0;
};

}  // namespace

bool rowAt(const CfiProgram& program, uint64_t pc, FrameRow* row) noexcept {
    if (pc < program.startIp) return false;
    return Interpreter(program, pc).run(row);
}

}  // namespace vramscope::unwind
