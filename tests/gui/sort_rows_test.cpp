// SPDX-License-Identifier: Apache-2.0
#include "gui/session/sort_rows.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace vramscope::gui {
namespace {

/// Sorts as many rows as there are keys, by both ways.
void expectSorted(const std::vector<std::uint64_t>& keys) {
    std::vector<Row> rows(keys.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<Row> expected = rows;
    std::stable_sort(expected.begin(), expected.end(), [&](Row a, Row b) { return keys[a] < keys[b]; });
    std::vector<Row> scratch(rows.size());
    const Cancel cancel;
    RowSorter([&keys](Row row) { return keys[row]; }, cancel).sort(rows, scratch);
    EXPECT_EQ(rows, expected);
}

TEST(SortRows, KeysOfEveryShape) {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> spread(50'000), few(50'000), skewed(50'000), narrow(50'000), extreme(50'000);
    for (std::size_t i = 0; i < spread.size(); ++i) {
        spread[i] = random();
        few[i] = random() % 3 << 40U;
        // Most lie close together, some at the other end of the numbers.
        skewed[i] = i % 5 == 0 ? ~std::uint64_t{0} - random() % 100'000 : random() % 100'000;
        narrow[i] = 1'000'000 + random() % 30;
        extreme[i] = i % 2 == 0 ? 0 : ~std::uint64_t{0};
    }
    for (const auto& keys : {spread, few, skewed, narrow, extreme})
        expectSorted(keys);
    expectSorted(std::vector<std::uint64_t>(20'000, 7));
    expectSorted({3, 1, 2, 1});
    expectSorted({});
}

TEST(SortRows, CancelledItEnds) {
    std::vector<Row> rows(100'000);
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<Row> scratch(rows.size());
    Cancel cancel;
    cancel.request();
    bool wasAsked = false;
    RowSorter([&wasAsked](Row row) { return wasAsked = true, std::uint64_t{row}; }, cancel)
        .sort(rows, scratch);
    EXPECT_FALSE(wasAsked);
}

}  // namespace
}  // namespace vramscope::gui
