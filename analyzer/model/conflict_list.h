// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/model/happens_before.h"
#include "analyzer/model/ordering.h"

namespace vramscope::model {

/// What was already said about one buffer: one missing edge shows itself in many calls.
class BufferConflicts {
public:
    struct Said {
        StreamIndex one = kNoStream;
        StreamIndex other = kNoStream;
        std::int64_t conflict = -1;
        bool isCertain = false;
    };
    /// What was said about these two streams (in either order), or nullptr.
    Said* find(StreamIndex one, StreamIndex other);
    void add(const Said& said) { m_said.push_back(said); }

private:
    std::vector<Said> m_said;
};

/// Conflicts with equal calls at equal places counted as one.
class ConflictList {
public:
    /// Different ones; later ones are left out.
    static constexpr std::size_t kMostConflicts = 10'000;

    /// Adds it to the like, and gives its number; -1 when there are too many.
    std::int64_t add(const OrderingConflict& conflict);
    /// One of them was a part of what another one says better.
    void takeBack(std::int64_t number);
    /// `conflict`, which was added to that one, turned out not to be sure.
    void takeBack(std::int64_t number, const OrderingConflict& conflict);
    OrderingConflict& at(std::int64_t number) { return m_conflicts[static_cast<std::size_t>(number)]; }

    std::vector<OrderingConflict> take();

private:
    using Side = std::tuple<OrderedAction, std::string_view, std::int64_t, std::int64_t, bool>;
    using Key = std::tuple<ConflictKind, std::int64_t, bool, Side, Side>;
    static Side keyOf(const OrderedSide& side);

    /// Of each conflict the first pairs of calls, since the one that it tells of may be taken back.
    static constexpr std::size_t kMostExamples = 8;

    std::vector<OrderingConflict> m_conflicts;
    std::vector<std::vector<OrderingConflict>> m_examples;
    std::map<Key, std::size_t> m_numbers;
};

}  // namespace vramscope::model
