// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "collector/unwind/cfi_program.h"
#include "collector/unwind/eh_frame.h"

namespace vramscope::unwind {
namespace {

/// Builds .eh_frame_hdr and .eh_frame in one buffer: a CIE and FDEs for functions at made-up addresses.
class TableBuilder {
public:
    static constexpr size_t kHeaderBytes = 64;

    TableBuilder() : m_bytes(kHeaderBytes) {}

    void addCie(const std::string& augmentation, const std::vector<uint8_t>& data, uint8_t version = 1) {
        m_cie = m_bytes.size();
        const size_t entry = begin();
        put<uint32_t>(0);
        put<uint8_t>(version);
        for (const char letter : augmentation)
            put<char>(letter);
        put<uint8_t>(0);
        put<uint8_t>(1);     // code alignment
        put<uint8_t>(0x78);  // data alignment -8
        put<uint8_t>(16);
        if (!augmentation.empty()) {
            put<uint8_t>(static_cast<uint8_t>(data.size()));
            m_bytes.insert(m_bytes.end(), data.begin(), data.end());
        }
        for (const uint8_t byte : {0x0c, 7, 8, 0x90, 1})
            put<uint8_t>(byte);
        end(entry);
    }

    /// An FDE with pc-relative 4-byte addresses. `start` is relative to the first byte of the buffer.
    void addFde(int32_t start, uint32_t size, uint8_t cfaOffset) {
        m_table.push_back({start, static_cast<int32_t>(m_bytes.size())});
        const size_t entry = begin();
        put<uint32_t>(static_cast<uint32_t>(m_bytes.size() - m_cie));
        put<int32_t>(start - static_cast<int32_t>(m_bytes.size()));
        put<uint32_t>(size);
        put<uint8_t>(0);
        put<uint8_t>(0x0e);
        put<uint8_t>(cfaOffset);
        end(entry);
    }

    /// Ends the tables. The buffer does not move any more.
    EhFrameTables finish(bool withTable) {
        put<uint32_t>(0);
        const uint8_t encoding = withTable ? 0x3b : 0xff;
        const uint8_t start[] = {1, 0x1b, static_cast<uint8_t>(withTable ? 0x03 : 0xff), encoding};
        std::memcpy(m_bytes.data(), start, 4);
        const int32_t frame = kHeaderBytes - 4;
        std::memcpy(m_bytes.data() + 4, &frame, 4);
        const auto count = static_cast<uint32_t>(m_table.size());
        std::memcpy(m_bytes.data() + 8, &count, 4);
        std::memcpy(m_bytes.data() + 12, m_table.data(), m_table.size() * 8);
        return tables();
    }

    EhFrameTables tables() const {
        const uint8_t* begin = m_bytes.data();
        const ByteRange all{begin, begin + m_bytes.size()};
        return {all, all, reinterpret_cast<uint64_t>(begin) + kHeaderBytes};
    }

    uint64_t address(int64_t offset) const {
        return reinterpret_cast<uint64_t>(m_bytes.data()) + static_cast<uint64_t>(offset);
    }
    std::vector<uint8_t>& bytes() { return m_bytes; }

private:
    struct Row {
        int32_t start;
        int32_t fde;
    };

    template <typename Value>
    void put(Value value) {
        uint8_t raw[sizeof(Value)];
        std::memcpy(raw, &value, sizeof(Value));
        m_bytes.insert(m_bytes.end(), raw, raw + sizeof(Value));
    }

    size_t begin() {
        put<uint32_t>(0);
        return m_bytes.size();
    }

    void end(size_t entry) {
        while (m_bytes.size() % 4 != 0)
            put<uint8_t>(0);
        const auto length = static_cast<uint32_t>(m_bytes.size() - entry);
        std::memcpy(m_bytes.data() + entry - 4, &length, 4);
    }

    std::vector<uint8_t> m_bytes;
    std::vector<Row> m_table;
    size_t m_cie = 0;
};

/// Three functions below the buffer's address: [-3000,-2900) [-2000,-1900) [-1900,-1800).
void addFunctions(TableBuilder& builder) {
    builder.addCie("zR", {0x1b});
    builder.addFde(-3000, 100, 16);
    builder.addFde(-2000, 100, 24);
    builder.addFde(-1900, 100, 32);
}

void expectOffset(const EhFrameTables& tables, uint64_t pc, int64_t cfaOffsetBytes) {
    CfiProgram program;
    FrameRow row;
    ASSERT_TRUE(findFde(tables, pc, &program));
    ASSERT_TRUE(rowAt(program, pc, &row));
    EXPECT_EQ(row.cfaOffsetBytes, cfaOffsetBytes);
}

TEST(EhFrame, FindsTheCoveringEntryByTableAndLinearly) {
    for (const bool withTable : {true, false}) {
        TableBuilder builder;
        addFunctions(builder);
        const EhFrameTables tables = builder.finish(withTable);
        CfiProgram program;
        expectOffset(tables, builder.address(-3000), 16);
        expectOffset(tables, builder.address(-2901), 16);
        expectOffset(tables, builder.address(-1901), 24);
        expectOffset(tables, builder.address(-1900), 32);
        EXPECT_FALSE(findFde(tables, builder.address(-3001), &program));
        EXPECT_FALSE(findFde(tables, builder.address(-2900), &program)) << "a gap between functions";
        EXPECT_FALSE(findFde(tables, builder.address(-1800), &program));
        EXPECT_FALSE(findFde(tables, 0, &program));
    }
}

TEST(EhFrame, ReadsAugmentations) {
    TableBuilder builder;
    builder.addCie("zPLR", {0x9b, 1, 2, 3, 4, 0x1b, 0x1b}, 3);
    builder.addFde(-500, 100, 48);
    expectOffset(builder.finish(true), builder.address(-450), 48);

    TableBuilder signalled;
    signalled.addCie("zRS", {0x1b});
    signalled.addFde(-500, 100, 48);
    CfiProgram program;
    ASSERT_TRUE(findFde(signalled.finish(true), signalled.address(-450), &program));
    EXPECT_TRUE(program.isSignalFrame);
}

TEST(EhFrame, RefusesWhatItDoesNotKnow) {
    const auto isFound = [](const std::string& augmentation, const std::vector<uint8_t>& data,
                            uint8_t version) {
        TableBuilder builder;
        builder.addCie(augmentation, data, version);
        builder.addFde(-500, 100, 48);
        CfiProgram program;
        return findFde(builder.finish(true), builder.address(-450), &program);
    };
    EXPECT_TRUE(isFound("zR", {0x1b}, 1));
    EXPECT_FALSE(isFound("zR", {0x1b}, 4));
    EXPECT_FALSE(isFound("zQR", {0x1b}, 1));
    EXPECT_FALSE(isFound("eh", {}, 1));
    EXPECT_FALSE(isFound("zR", {0x9b}, 1)) << "indirect";
    EXPECT_FALSE(isFound("zR", {0x50}, 1)) << "aligned";
    EXPECT_FALSE(isFound("zR", {}, 1)) << "no encoding byte";
}

TEST(EhFrame, Refuses64BitLengths) {
    TableBuilder builder;
    addFunctions(builder);
    EhFrameTables tables = builder.finish(false);
    const uint32_t extended = 0xffffffff;
    std::memcpy(builder.bytes().data() + TableBuilder::kHeaderBytes, &extended, 4);
    CfiProgram program;
    EXPECT_FALSE(findFde(tables, builder.address(-3000), &program));
}

TEST(EhFrame, SurvivesDamage) {
    TableBuilder builder;
    addFunctions(builder);
    builder.finish(true);
    const std::vector<uint8_t> intact = builder.bytes();
    std::mt19937 random(11);
    int found = 0;
    for (int i = 0; i < 100'000; ++i) {
        // A copy of the exact size, so that a sanitizer sees every read past the end.
        std::vector<uint8_t> damaged(intact.begin(),
                                     intact.end() - static_cast<long>(i % 3 == 0 ? random() % 100 : 0));
        for (uint32_t n = random() % 5; n > 0; --n)
            damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
        const ByteRange all{damaged.data(), damaged.data() + damaged.size()};
        EhFrameTables tables{all, all, 0};
        if (!readFrameStart(all, &tables.frameStart)) continue;
        const uint64_t pc = reinterpret_cast<uint64_t>(damaged.data()) - 3000 + random() % 1300;
        CfiProgram program;
        FrameRow row;
        if (findFde(tables, pc, &program) && rowAt(program, pc, &row)) ++found;
    }
    EXPECT_GT(found, 1000);
    EXPECT_LT(found, 90'000);
}

}  // namespace
}  // namespace vramscope::unwind
