// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analyzer/report/report_text.h"
#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

using tests::kMiB;

TEST(SectionReserved, PoolsTellTheirThreshold) {
    tests::CaptureBuilder builder;
    const std::int64_t keeping = builder.pool(true, -1);
    const std::int64_t small = builder.pool(false, 32 * kMiB);
    builder.poolSample(tests::kMs, keeping, 64 * kMiB, 0);
    builder.poolSample(2 * tests::kMs, keeping, 64 * kMiB, 60 * kMiB);
    builder.poolSample(2 * tests::kMs, small, 32 * kMiB, 2 * kMiB);
    const std::string text = unusedSection(*builder.load(), {});
    EXPECT_NE(text.find("64.0 MiB  in the default pool at 0.001 s, of 64.0 MiB reserved; release threshold"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("nothing is given back unasked"), std::string::npos) << text;
    EXPECT_NE(text.find("4.0 MiB  still unused when it was read last, at 0.002 s"), std::string::npos)
        << text;
    EXPECT_NE(text.find("30.0 MiB  in a pool at 0.002 s, of 32.0 MiB reserved; release threshold 32.0 MiB"),
              std::string::npos)
        << text;
}

TEST(SectionReserved, StrandedPagesNameWhatPinsThem) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!kv_index@cache.cpp:14"});
    const std::int64_t page = 0x7f9000000000;
    builder.allocate({.address = page, .bytes = kMiB, .allocNs = 10, .stack = stack});
    builder.allocate({.address = page + kMiB, .bytes = kMiB, .allocNs = 10, .freeNs = 20, .stack = stack});
    const std::string text = unusedSection(*builder.load(), {});
    EXPECT_NE(text.find("1.0 MiB  freed and not given back"), std::string::npos) << text;
    EXPECT_NE(text.find("pinned by b7f9000000000.1 (1.0 MiB of device memory), cache.cpp:14 kv_index"),
              std::string::npos)
        << text;
}

TEST(SectionReserved, HeapsTellTheirHolesWithoutAnyRequest) {
    tests::CaptureBuilder builder;
    const auto task = builder.task("index");
    const auto buffer = builder.allocate({.bytes = 16 * kMiB, .allocNs = 10});
    builder.piece("heap", buffer, 0, 16 * kMiB, 0, 20);
    builder.piece("block", buffer, 7 * kMiB, kMiB, task, 30);
    const std::string text = unusedSection(*builder.load(), {});
    EXPECT_NE(text.find("15.0 MiB  in 2 holes of heap \"piece\" at "), std::string::npos) << text;
    EXPECT_NE(text.find("the largest 8.0 MiB; 1.0 MiB in 1 block"), std::string::npos) << text;
    EXPECT_NE(text.find("pinned by 1.0 MiB \"piece\" of index, "), std::string::npos) << text;
}

TEST(SectionReserved, HolesNameTheMappingsOnTheirSides) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!grow@heap.cpp:41"});
    const std::int64_t base = 0x7f8000000000;
    builder.exec("INSERT INTO vmm_reservations VALUES (1, 1, " + std::to_string(base) + ", 1073741824, 1, " +
                 std::to_string(stack) + ", NULL)");
    for (const std::int64_t offset : {std::int64_t{0}, 40 * kMiB})
        builder.allocate(
            {.kind = "vmm", .address = base + offset, .bytes = 20 * kMiB, .allocNs = 10, .stack = stack});
    const std::string text = unusedSection(*builder.load(), {});
    EXPECT_NE(text.find("20.0 MiB  in 1 hole of a reserved range"), std::string::npos) << text;
    EXPECT_NE(text.find("40.0 MiB mapped of 1.0 GiB"), std::string::npos) << text;
    EXPECT_NE(text.find("reserved at heap.cpp:41 grow"), std::string::npos) << text;
    EXPECT_NE(text.find("pinned by b7f8000000000.1 (20.0 MiB of mapped physical memory)"), std::string::npos)
        << text;
}

TEST(SectionReserved, NothingUnusedIsNoSection) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 4 * kMiB, .allocNs = 10});
    EXPECT_EQ(unusedSection(*builder.load(), {}), "");
}

}  // namespace
}  // namespace vramscope::report
