// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

#include "collector/unwind/arch.h"
#include "collector/unwind/cfi_program.h"

namespace vramscope::unwind {
namespace {

using Bytes = std::vector<uint8_t>;

/// Runs instructions after the usual x86-64 start (CFA = rsp + 8, return address at CFA - 8), in a copy of
/// exactly their size so that a sanitizer sees a read past the end.
class CfiProgramTest : public testing::Test {
protected:
    bool run(const Bytes& instructions, uint64_t pc) {
        static const Bytes kStart{0x0c, 7, 8, 0x90, 1};
        return run(kStart, instructions, pc);
    }

    bool run(const Bytes& start, const Bytes& instructions, uint64_t pc) {
        m_start = copyOf(start);
        m_instructions = copyOf(instructions);
        CfiProgram program;
        program.initialInstructions = {m_start.get(), m_start.get() + start.size()};
        program.instructions = {m_instructions.get(), m_instructions.get() + instructions.size()};
        program.dataAlign = -8;
        program.startIp = 1000;
        program.endIp = 2000;
        program.framePointerRegister = kFramePointerRegister;
        program.returnAddressRegister = kReturnAddressRegister;
        program.pointerEncoding = 0x04;
        row = {};
        return rowAt(program, pc, &row);
    }

    FrameRow row;

private:
    static std::unique_ptr<uint8_t[]> copyOf(const Bytes& bytes) {
        std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), copy.get());
        return copy;
    }

    std::unique_ptr<uint8_t[]> m_start;
    std::unique_ptr<uint8_t[]> m_instructions;
};

TEST_F(CfiProgramTest, EmptyProgramGivesTheStartRow) {
    ASSERT_TRUE(run({}, 1000));
    EXPECT_EQ(row.cfaKind, CfaKind::Register);
    EXPECT_EQ(row.cfaRegister, 7u);
    EXPECT_EQ(row.cfaOffsetBytes, 8);
    EXPECT_EQ(row.returnAddress.kind, SlotKind::AtCfa);
    EXPECT_EQ(row.returnAddress.cfaOffsetBytes, -8);
    EXPECT_EQ(row.framePointer.kind, SlotKind::Same);
}

// push rbp at 1001, mov rbp,rsp at 1004, leave at 1100.
const Bytes kFramed{0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 96, 0x0c, 7, 8, 0xc6};

TEST_F(CfiProgramTest, RowsFollowTheAddress) {
    ASSERT_TRUE(run(kFramed, 1000));
    EXPECT_EQ(row.cfaOffsetBytes, 8);
    ASSERT_TRUE(run(kFramed, 1001));
    EXPECT_EQ(row.cfaOffsetBytes, 16);
    EXPECT_EQ(row.cfaRegister, 7u);
    EXPECT_EQ(row.framePointer.cfaOffsetBytes, -16);
    ASSERT_TRUE(run(kFramed, 1099));
    EXPECT_EQ(row.cfaRegister, 6u);
    EXPECT_EQ(row.cfaOffsetBytes, 16);
    ASSERT_TRUE(run(kFramed, 1100));
    EXPECT_EQ(row.cfaRegister, 7u);
    EXPECT_EQ(row.cfaOffsetBytes, 8);
    EXPECT_EQ(row.framePointer.kind, SlotKind::Same);
}

TEST_F(CfiProgramTest, AllAdvances) {
    const Bytes program{0x02, 10, 0x0e, 16, 0x03, 0, 1, 0x0e, 24, 0x04, 100, 0, 0, 0, 0x0e, 32};
    ASSERT_TRUE(run(program, 1009));
    EXPECT_EQ(row.cfaOffsetBytes, 8);
    ASSERT_TRUE(run(program, 1010));
    EXPECT_EQ(row.cfaOffsetBytes, 16);
    ASSERT_TRUE(run(program, 1266));
    EXPECT_EQ(row.cfaOffsetBytes, 24);
    ASSERT_TRUE(run(program, 1366));
    EXPECT_EQ(row.cfaOffsetBytes, 32);
    const Bytes setLoc{0x01, 0x4c, 4, 0, 0, 0, 0, 0, 0, 0x0e, 40};
    ASSERT_TRUE(run(setLoc, 1099));
    EXPECT_EQ(row.cfaOffsetBytes, 8);
    ASSERT_TRUE(run(setLoc, 1100));
    EXPECT_EQ(row.cfaOffsetBytes, 40);
}

TEST_F(CfiProgramTest, RemembersAndRestores) {
    const Bytes program{0x0e, 16, 0x86, 2, 0x41, 0x0a, 0x0e, 64, 0xc6, 0x41, 0x0b};
    ASSERT_TRUE(run(program, 1001));
    EXPECT_EQ(row.cfaOffsetBytes, 64);
    EXPECT_EQ(row.framePointer.kind, SlotKind::Same);
    ASSERT_TRUE(run(program, 1002));
    EXPECT_EQ(row.cfaOffsetBytes, 16);
    EXPECT_EQ(row.framePointer.kind, SlotKind::AtCfa);
    EXPECT_FALSE(run({0x0b}, 1000)) << "nothing was remembered";
    EXPECT_FALSE(run(Bytes(9, 0x0a), 1000)) << "more states than fit";
    EXPECT_TRUE(run(Bytes(8, 0x0a), 1000));
}

TEST_F(CfiProgramTest, SignedAndExtendedForms) {
    ASSERT_TRUE(run({0x12, 6, 0x7e, 0x05, 6, 3, 0x11, 16, 2}, 1000));  // -2 * -8
    EXPECT_EQ(row.cfaOffsetBytes, 16);
    EXPECT_EQ(row.framePointer.cfaOffsetBytes, -24);
    EXPECT_EQ(row.returnAddress.cfaOffsetBytes, -16);
    ASSERT_TRUE(run({0x13, 0x7d, 0x2f, 6, 4, 0x2e, 32, 0x06, 16}, 1000));
    EXPECT_EQ(row.cfaOffsetBytes, 24);
    EXPECT_EQ(row.framePointer.cfaOffsetBytes, 32);
    EXPECT_EQ(row.returnAddress.cfaOffsetBytes, -8);
}

TEST_F(CfiProgramTest, RulesWithoutASlot) {
    ASSERT_TRUE(run({0x07, 16, 0x08, 6}, 1000));
    EXPECT_EQ(row.returnAddress.kind, SlotKind::Undefined);
    EXPECT_EQ(row.framePointer.kind, SlotKind::Same);
    for (const uint8_t op : {0x09, 0x14, 0x15}) {
        ASSERT_TRUE(run({op, 6, 3}, 1000));
        EXPECT_EQ(row.framePointer.kind, SlotKind::Other);
    }
    ASSERT_TRUE(run({0x16, 6, 1, 0x30}, 1000));
    EXPECT_EQ(row.framePointer.kind, SlotKind::Other);
}

TEST_F(CfiProgramTest, KeepsExpressions) {
    ASSERT_TRUE(run({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0}, 1000));
    ASSERT_EQ(row.cfaKind, CfaKind::Expression);
    EXPECT_EQ(row.cfaExpression.size(), 3u);
    EXPECT_EQ(row.framePointer.kind, SlotKind::Expression);
    EXPECT_EQ(row.framePointer.expression.size(), 2u);
    EXPECT_FALSE(run({0x0f, 3, 0x76, 0x78, 0x06, 0x0e, 8}, 1000)) << "an offset needs a register to add to";
}

TEST_F(CfiProgramTest, RefusesTruncatedAndUnknown) {
    for (const Bytes& bad : {Bytes{0x0c, 7}, Bytes{0x0e}, Bytes{0x86}, Bytes{0x86, 0x80}, Bytes{0x04, 1, 2},
                             Bytes{0x0f, 9, 1}, Bytes{0x10, 6}, Bytes{0x01, 1, 2}, Bytes{0x1d}, Bytes{0x3f},
                             Bytes{0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}}) {
        EXPECT_FALSE(run(bad, 1500)) << "opcode " << int{bad[0]} << " of " << bad.size() << " bytes";
    }
    EXPECT_FALSE(run({}, 999)) << "before the function";
    EXPECT_FALSE(run({0x41}, {}, 1000)) << "a CIE may not move";
    EXPECT_FALSE(run({0x01, 1, 0, 0, 0, 0, 0, 0, 0}, 1500)) << "backwards";
}

TEST_F(CfiProgramTest, SurvivesRandomBytes) {
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < 100'000; ++i) {
        Bytes start(random() % 8);
        Bytes program(random() % 48);
        for (uint8_t& byte : start)
            byte = static_cast<uint8_t>(random() % 0x30);
        for (uint8_t& byte : program)
            byte = static_cast<uint8_t>(random() % (i % 2 == 0 ? 256 : 0x30));
        if (run(start, program, 1000 + random() % 1000)) {
            ++accepted;
            ruleFromRow(row, 1000);
        }
    }
    EXPECT_GT(accepted, 100);
    EXPECT_LT(accepted, 90'000);
}

}  // namespace
}  // namespace vramscope::unwind
