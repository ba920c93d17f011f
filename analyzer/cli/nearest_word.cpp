// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/nearest_word.h"

#include <algorithm>
#include <cstddef>

namespace vramscope::cli {
namespace {

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            const bool isSwap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (isSwap) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string nearestWord(std::string_view typed, const std::vector<std::string>& words) {
    std::string nearest;
    // Long arguments are no typing errors of short words, and the table above would be large.
    if (typed.size() > 64) return nearest;
    std::size_t best = std::max<std::size_t>(typed.size() / 3, 1) + 1;
    for (const std::string& word : words) {
        const std::size_t d = distance(typed, word);
        if (d >= best) continue;
        best = d;
        nearest = word;
    }
    return nearest;
}

}  // namespace vramscope::cli
