// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "analyzer/model/ordering_model.h"

namespace vramscope::tests {

/// What happens before what, spelled out: a graph of the moments of calls and of the work they put on
/// streams, and reachability by search. Slow and without cleverness; the model is compared with it.
class MomentGraph {
public:
    static constexpr std::size_t kMostNodes = 512;
    using Set = std::bitset<kMostNodes>;

    /// A moment after all of `before`; moments are numbered in the order of calls, so that no cycle can be
    /// made.
    std::size_t add(const std::vector<std::size_t>& before) {
        Set past;
        for (const std::size_t node : before) {
            past |= m_past[node];
            past.set(node);
        }
        m_past.push_back(past);
        return m_past.size() - 1;
    }
    bool isBefore(std::size_t earlier, std::size_t later) const { return m_past[later].test(earlier); }
    std::size_t size() const { return m_past.size(); }

private:
    std::vector<Set> m_past;
};

/// A random program of one thread, played into the model and into the graph at the same time.
class RandomStreamProgram {
public:
    explicit RandomStreamProgram(std::uint64_t seed);

    void play(int calls);

    /// Buffers of which two uses, or a use and the end of its life, are not ordered.
    std::vector<std::int64_t> racyBuffers() const;
    /// Whether these two calls, by the time they began, are such a pair.
    bool isRacyPair(std::int64_t bufferId, std::int64_t earlierNs, std::int64_t laterNs) const;
    std::vector<model::OrderingConflict> found() { return m_model.finish(); }

private:
    enum class UseKind { Alloc, Read, Write, OrderedFree, HostFree };
    struct Use {
        UseKind kind;
        std::size_t node;
        std::int64_t enterNs;
        std::uint64_t first, end;
    };
    struct Buffer {
        model::OrderedBuffer row;
        bool isLive = true;
        std::vector<Use> uses;
    };
    struct StreamState {
        bool isLegacy, isBlocking;
        std::optional<std::size_t> last;
    };

    std::size_t pick(std::size_t count) { return m_random() % count; }
    void begin();
    void end(const std::vector<std::size_t>& waitedFor = {});
    std::size_t work(std::size_t stream, std::vector<std::size_t> before = {});
    std::vector<std::size_t> lastOf(std::size_t stream) const;
    static bool isRacy(const MomentGraph& graph, const Use& a, const Use& b);
    Buffer* pickLive();
    template <typename Event>
    void fill(Event& event, std::size_t stream);

    void allocate();
    void free();
    void set();
    void copy();
    void blockingCopy();
    void record();
    void wait();
    void hostWait();

    std::mt19937_64 m_random;
    std::vector<StreamState> m_streams;
    model::OrderingModel m_model;
    MomentGraph m_graph;
    std::vector<Buffer> m_buffers;
    std::vector<std::optional<std::size_t>> m_events;
    std::size_t m_enter = 0;  // node of the call's beginning
    std::int64_t m_nowNs = 0;
    std::uint64_t m_nextAddress = 0x7f0000000000;
};

}  // namespace vramscope::tests
