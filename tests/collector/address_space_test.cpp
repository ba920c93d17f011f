// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/address_space.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "collector/recorder/pending_queue.h"
#include "collector/recorder/recent_map.h"

namespace vramscope::collector {
namespace {

BufferPtr buffer(std::uint64_t address, std::uint64_t sizeBytes, std::uint64_t allocTicks) {
    auto made = std::make_shared<BufferRow>();
    made->address = address;
    made->sizeBytes = sizeBytes;
    made->allocTicks = allocTicks;
    return made;
}

void end(AddressSpace& space, const BufferPtr& row, std::uint64_t freeTicks) {
    row->freeTicks = freeTicks;
    row->endKind = "freed";
    space.retire(row);
}

// The cache in front of the tree must never be seen. Small buffers share pages, large ones have more pages
// than the cache has places, and all come back at the same addresses.
TEST(AddressSpaceTest, FindsWhatASearchThroughAllWouldFind) {
    AddressSpace space;
    std::mt19937_64 random(7);
    std::vector<BufferPtr> slots(400);
    const auto base = [](std::size_t slot) {
        if (slot < 300) return 0x7000'0000'0000 + slot * 0x1'0000;          // 32 to a page
        if (slot < 395) return 0x7100'0000'0000 + slot * 0x4000'0000;       // 1 GiB apart
        return 0x6000'0000'0000 + (slot - 395) * (std::uint64_t{1} << 36);  // 64 GiB apart
    };
    const auto size = [](std::size_t slot) -> std::uint64_t {
        return slot < 300 ? 0x9000 : slot < 395 ? 0x2000'0000 : std::uint64_t{1} << 35;
    };
    for (std::uint64_t now = 1; now < 200'000; ++now) {
        const std::size_t slot = random() % slots.size();
        if (random() % 4 != 0) {
            const std::uint64_t address = base(slot) + random() % (size(slot) * 5 / 4);
            BufferRow* expected = nullptr;
            for (const BufferPtr& row : slots) {
                if (row != nullptr && address >= row->address && address < row->end()) expected = row.get();
            }
            ASSERT_EQ(space.find(address, now), expected) << std::hex << address;
        } else if (slots[slot] == nullptr) {
            slots[slot] = buffer(base(slot), size(slot), now);
            ASSERT_TRUE(space.insert(slots[slot]).empty());
        } else {
            end(space, slots[slot], now);
            slots[slot] = nullptr;
        }
    }
}

TEST(AddressSpaceTest, ABufferThatIsReplacedIsNotFoundAgain) {
    AddressSpace space;
    const BufferPtr first = buffer(0x1000, 0x1000, 1);
    space.insert(first);
    EXPECT_EQ(space.find(0x1800, 2), first.get());
    const BufferPtr second = buffer(0x0, 0x4000, 3);
    EXPECT_EQ(space.insert(second).size(), 1U);
    EXPECT_EQ(space.find(0x1800, 4), second.get());
}

TEST(AddressSpaceTest, RemembersABoundedNumberOfTheDead) {
    AddressSpace space;
    const std::uint64_t count = AddressSpace::kMostDead + 10;
    for (std::uint64_t i = 1; i <= count; ++i) {
        const BufferPtr row = buffer(i << 12, 0x1000, 10 * i);
        space.insert(row);
        end(space, row, 10 * i + 5);
    }
    EXPECT_EQ(space.forgottenEarly(), 10U);
    EXPECT_EQ(space.find(10ull << 12, 102), nullptr);
    EXPECT_NE(space.find(11ull << 12, 112), nullptr);
    space.forgetDeadBefore(~0ull);
    EXPECT_EQ(space.forgottenEarly(), 10U) << "age is not lack of room";
}

TEST(GenerationsTest, NeverGivesANumberTwice) {
    Generations generations;
    EXPECT_EQ(generations.next(0x1000), 1U);
    EXPECT_EQ(generations.next(0x1000), 2U);
    generations.raise(0x2000, 7);
    EXPECT_EQ(generations.next(0x2000), 8U);
    for (std::uint64_t i = 0; i <= Generations::kMostAddresses; ++i)
        generations.next(0x10'0000 + i);
    EXPECT_GT(generations.next(0x1000), 2U);
    EXPECT_GT(generations.next(0x2000), 8U);
}

TEST(PendingQueueTest, KeepsItsOrderThroughAnyMixOfInAndOut) {
    PendingQueue<int> queue;
    std::mt19937 random(1);
    int in = 0;
    int out = 0;
    for (int i = 0; i < 100'000; ++i) {
        if (random() % 100 < 55) {
            queue.push_back(in++);
        } else if (!queue.empty()) {
            ASSERT_EQ(queue.front(), out++);
            queue.pop_front();
        }
    }
    EXPECT_EQ(queue.end() - queue.begin(), in - out);
    while (!queue.empty()) {
        ASSERT_EQ(queue.front(), out++);
        queue.pop_front();
    }
    EXPECT_EQ(in, out);
}

TEST(RecentMapTest, FindsWhatWasPutLastAndForgets) {
    RecentMap<std::uint64_t, int, 2> map;
    EXPECT_EQ(map.find(0, 0), nullptr) << "an empty place is not the key 0";
    for (std::uint64_t key = 1; key < 50; ++key) {
        map.put(key, key, static_cast<int>(key));
        ASSERT_NE(map.find(key, key), nullptr);
        EXPECT_EQ(*map.find(key, key), static_cast<int>(key));
    }
    map.forget();
    EXPECT_EQ(map.find(49, 49), nullptr);
}

}  // namespace
}  // namespace vramscope::collector
