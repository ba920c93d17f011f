// SPDX-License-Identifier: Apache-2.0
// The live memory that the exact engine keeps, and how it is cut for the patches: every live byte is found,
// and no other.
#include "collector/inject/piece_table.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace vramscope::collector {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

/// What the patch does (collector/device/exact_patch.cu): the piece that holds an address.
const device::ExactPiece* find(const PieceTable& table, std::uint64_t address) {
    const std::uint64_t page = address >> device::kExactPageBits;
    std::uint32_t place = device::exactPlace(page, table.pageMask());
    while (table.pages()[place].pieceCount != 0 && table.pages()[place].page != page)
        place = (place + 1) & table.pageMask();
    const device::ExactPage& entry = table.pages()[place];
    for (std::uint32_t i = 0; i < entry.pieceCount; ++i) {
        const device::ExactPiece& piece = table.pieces()[entry.firstPiece + i];
        if (address - piece.begin < piece.sizeBytes) return &piece;
    }
    return nullptr;
}

class PieceTableTest : public testing::Test {
protected:
    PieceTableTest() { EXPECT_TRUE(m_live.start() && m_table.map()); }

    LiveTable m_live;
    PieceTable m_table;
};

TEST_F(PieceTableTest, EmptyFindsNothing) {
    ASSERT_TRUE(m_table.build(m_live));
    EXPECT_EQ(find(m_table, 0x7f0000000000), nullptr);
}

TEST_F(PieceTableTest, NeighboursAreToldApart) {
    m_live.add({0x7f0000001000, 4096, 1});
    m_live.add({0x7f0000002000, 512, 2});
    ASSERT_TRUE(m_table.build(m_live));
    EXPECT_EQ(m_table.pieceCount(), 2U);
    EXPECT_TRUE(m_table.beginsBuffer(0));
    EXPECT_TRUE(m_table.beginsBuffer(1));
    EXPECT_EQ(find(m_table, 0x7f0000001fff)->begin, 0x7f0000001000U);
    EXPECT_EQ(find(m_table, 0x7f0000002000)->begin, 0x7f0000002000U);
    EXPECT_EQ(find(m_table, 0x7f0000000fff), nullptr);
    EXPECT_EQ(find(m_table, 0x7f0000002200), nullptr);
}

TEST_F(PieceTableTest, LargeBuffersAreCutAndOnlyTheFirstPieceBeginsOne) {
    m_live.add({0x7f0000100000, 5 * kMiB, 1});
    ASSERT_TRUE(m_table.build(m_live));
    ASSERT_EQ(m_table.pieceCount(), 3U);
    EXPECT_TRUE(m_table.beginsBuffer(0));
    EXPECT_FALSE(m_table.beginsBuffer(1));
    EXPECT_FALSE(m_table.beginsBuffer(2));
}

TEST_F(PieceTableTest, ALotOfMemoryFits) {
    m_live.add({0x7e0000000000, std::uint64_t{130} << 30, 1});
    ASSERT_TRUE(m_table.build(m_live));
    EXPECT_LE(m_table.pieceCount(), 8192U);
    EXPECT_NE(find(m_table, 0x7e0000000000 + (std::uint64_t{129} << 30)), nullptr);
}

TEST_F(PieceTableTest, MoreThanFitsIsRefused) {
    for (std::uint64_t i = 0; i <= PieceTable::kMostPieces; ++i)
        m_live.add({0x7f0000000000 + i * 1024, 512, 1});
    EXPECT_FALSE(m_table.build(m_live));
    EXPECT_EQ(m_table.pieceCount(), 0U);
    EXPECT_EQ(find(m_table, 0x7f0000000000), nullptr);
}

TEST_F(PieceTableTest, AFreeDoesNotEndWhatCameToLifeDuringIt) {
    m_live.add({0x7f0000000000, 512, 10});
    m_live.add({0x7f0000000000, 1024, 30});  // the free of the first, begun at 20, has not returned yet
    m_live.remove(0x7f0000000000, 0x7f0000000001, 20);
    EXPECT_EQ(m_live.count(), 1U);
    m_live.remove(0x7f0000000000, 0x7f0000000001, 40);
    EXPECT_EQ(m_live.count(), 0U);
}

TEST_F(PieceTableTest, AgreesWithASimpleModel) {
    std::mt19937_64 random(7);
    std::set<std::pair<std::uint64_t, std::uint64_t>> model;
    for (int step = 0; step < 2000; ++step) {
        const std::uint64_t begin = 0x7f0000000000 + (random() % 4096) * 65536;
        const std::uint64_t sizeBytes = 1 + random() % (random() % 8 == 0 ? 8 * kMiB : 65536);
        if (random() % 3 == 0 && !model.empty()) {
            const auto victim =
                *std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
            m_live.remove(victim.first, victim.first + 1, ~std::uint64_t{0});
            model.erase(victim);
            continue;
        }
        std::erase_if(model, [&](const auto& range) {
            return range.first < begin + sizeBytes && begin < range.first + range.second;
        });
        model.insert({begin, sizeBytes});
        m_live.add({begin, sizeBytes, 1});
    }
    ASSERT_EQ(m_live.count(), model.size());
    ASSERT_TRUE(m_table.build(m_live));
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t address = 0x7f0000000000 + random() % (std::uint64_t{4200} * 65536);
        auto at = model.upper_bound({address, ~std::uint64_t{0}});
        const bool isLive = at != model.begin() && address - std::prev(at)->first < std::prev(at)->second;
        const device::ExactPiece* piece = find(m_table, address);
        ASSERT_EQ(piece != nullptr, isLive) << std::hex << address;
        if (isLive) {
            EXPECT_GE(piece->begin, std::prev(at)->first);
            EXPECT_LE(piece->begin + piece->sizeBytes, std::prev(at)->first + std::prev(at)->second);
        }
    }
}

}  // namespace
}  // namespace vramscope::collector
