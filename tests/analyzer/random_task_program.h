// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "analyzer/model/capture.h"
#include "analyzer/model/ordering_model.h"
#include "analyzer/model/ordering_reader.h"
#include "tests/analyzer/random_stream_program.h"

namespace vramscope::tests {

/// How a random program of tasks behaves.
struct TaskProgramKind {
    bool overlaps = false;   ///< calls of several threads are under way at the same time
    bool isGuessed = false;  ///< tasks are the user's guess by thread instead of the program's marks
    bool isWatched = false;  ///< kernels write where no argument points, and digests of all buffers are taken
    bool isSerialised = false;  ///< all work is on one stream, and no two calls are near each other
    int calls = 40;
};

/// A random program of several threads, tasks and streams. It knows the order in which its calls took effect,
/// and from that which writes went into other tasks' memory and which pairs of calls nothing orders. What a
/// recording would show of it (calls with a beginning and an end, around the moment of effect) is a capture.
class RandomTaskProgram {
public:
    static constexpr std::int64_t kCellBytes = 64;
    static constexpr std::size_t kCells = 8;

    RandomTaskProgram(std::uint64_t seed, TaskProgramKind kind);

    /// The capture, with accesses, owners and the conflicts that the model finds.
    const model::Capture& capture();

    /// What a write did to the cells of one owner.
    struct Foreign {
        std::int64_t bytes = 0;
        bool wasUsedBefore = false;
        bool isSettled = true;  ///< nobody said anything of the owner's cells during the call
    };
    /// By the write's beginning, buffer and owner: copies and sets only.
    using ForeignKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    const std::map<ForeignKey, Foreign>& foreignWrites();

    /// Whether these two calls, by the time they began, touch the same bytes, one writes, and nothing orders
    /// them.
    bool isRacyPair(std::int64_t buffer, std::int64_t earlierNs, std::int64_t laterNs) const;
    /// Buffers with such a pair of copies or sets.
    std::set<std::int64_t> racyBuffers() const;

    /// What a watched kernel did to a buffer that is one task's as a whole and always was.
    struct KernelWrite {
        std::int64_t enterNs, buffer;
        bool isForeign = false;      ///< of another task, where marks say whose both are
        bool wasUsedBefore = false;  ///< by its owner, in a call that had returned
    };
    const std::vector<KernelWrite>& kernelWrites() const { return m_kernelWrites; }
    bool didKernelWrite(std::int64_t enterNs, std::int64_t buffer) const;

private:
    using Task = std::int64_t;
    enum Loan : std::uint8_t { NoLoan, ForReading, ForWriting };
    struct Thread {
        std::vector<Task> open;
        std::int64_t lastExitNs = 0;
        std::vector<std::pair<std::size_t, std::int64_t>> spans;  // open rows of taskSpans
    };
    struct Use {
        std::size_t node;
        std::int64_t enterNs;
        std::size_t first, end;
        bool isWrite, isLaunch;
    };
    struct Cell {
        Task owner = 0;                       // 0: nobody's, a heap's
        std::map<Task, std::int64_t> usedBy;  // the earliest return of a use
    };
    struct Buffer {
        std::array<Cell, kCells> cells;
        std::map<std::pair<Task, std::size_t>, Loan> loans;  // of halves; task 0: all
        std::vector<Use> uses;
        bool isHeap = false;
        std::int64_t allocExitNs = 0;
        std::map<std::size_t, std::pair<std::size_t, std::size_t>> blocks;  // row of subBuffers, cells
    };
    struct Write {
        std::int64_t enterNs, exitNs, buffer;
        std::size_t first, end;
        std::map<Task, Foreign> foreign;  // by owner
    };
    /// Work on a stream that writes a buffer, and launches, which take digests.
    struct Work {
        model::OrderedCall call;
        std::size_t stream, node;
        std::int64_t buffer = 0;
    };
    struct Said {
        std::int64_t timeNs, buffer;
        std::size_t first, end;
    };
    struct Call {
        model::OrderedCall call;
        std::size_t thread;
        Task task;
    };
    /// A call for the model, where it wants it.
    using Feed = std::pair<model::CallOrder, std::function<void(model::OrderingModel&)>>;

    std::size_t pick(std::size_t count) { return m_random() % count; }
    Task taskOf(std::size_t thread) const;
    Call begin();
    std::vector<std::size_t> before(const Call& call) const;
    void end(const Call& call, const std::vector<std::size_t>& waitedFor = {});
    std::size_t work(std::size_t stream, const Call& call, const std::vector<std::size_t>& waitedFor = {});
    template <typename Event>
    Event eventOf(const Call& call, std::size_t stream) const;
    std::pair<std::size_t, std::size_t> someCells(std::size_t most = kCells);
    std::optional<std::size_t> pickBuffer(const Call& call);

    void step();
    void changeTask();
    void allocate();
    void set();
    void copy();
    void launch();
    void giveOrLend();
    void heapOrBlock();
    void record();
    void wait();
    void sync();

    // In random_task_watch.cpp.
    void writeUnseen(const Call& call, std::size_t stream, std::size_t node);
    bool mayShowIn(const Work& launch, const Work& write) const;
    void takeDigests();
    void addDigestAccesses();

    void touch(const Call& call, std::size_t buffer, std::size_t first, std::size_t end, std::size_t stream,
               std::size_t node, bool isWrite, bool isLaunch);
    void judge(const Call& call, std::size_t buffer, std::size_t first, std::size_t end);
    bool isRace(const Use& a, const Use& b) const;
    Loan loanOf(const Buffer& buffer, std::size_t cell, Task task) const;
    void said(std::int64_t timeNs, std::size_t buffer, std::size_t first, std::size_t end);

    std::mt19937_64 m_random;
    TaskProgramKind m_kind;
    bool m_isQuiet;  ///< a watched program says nothing of its memory
    std::int64_t m_nowNs = 1000;
    std::set<std::int64_t> m_begun;
    std::vector<Thread> m_threads;
    std::vector<std::optional<std::size_t>> m_last;  // node of each stream's last work
    std::vector<std::optional<std::size_t>> m_events;
    MomentGraph m_graph;
    std::vector<std::pair<std::int64_t, std::size_t>> m_returns;  // of calls, with their nodes
    std::vector<Buffer> m_buffers;
    std::vector<Write> m_writes;
    std::vector<Said> m_said;
    std::vector<Work> m_launches;
    std::vector<Work> m_works;  // all that wrote a buffer
    std::vector<KernelWrite> m_kernelWrites;
    std::vector<Feed> m_feeds;
    std::vector<model::Buffer> m_bufferRows;
    model::Capture m_capture;
    bool m_isBuilt = false;
    std::map<ForeignKey, Foreign> m_foreign;
};

}  // namespace vramscope::tests
