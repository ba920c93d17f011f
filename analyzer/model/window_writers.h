// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/model/digest_change.h"
#include "analyzer/model/happens_before.h"

namespace vramscope::model {

/// Work that may write memory: a kernel anywhere, a copy or set in one buffer.
struct WritingWork {
    OrderedCall call;
    StreamPoint point;
    std::int64_t kernelId = 0;  ///< 0 for a copy or set
    BufferId bufferId;          ///< of a copy or set
};

/// Finds, for each digest that changed, what else than its launch may have written the buffer between the two
/// digests: work that the calls do not order before or after the launch. Where an edge is in doubt it counts
/// as missing, the other way round than for conflicts, since here an edge too many would accuse the wrong
/// one. To be told of all work in the order of the calls.
class WindowWriters {
public:
    /// `changes` must outlive it and name their launches already.
    WindowWriters(const HappensBefore& order, std::vector<DigestChange>& changes);

    void work(const WritingWork& work);
    /// Sets DigestChange::isWriterKnown and hands out the kernels of the others, by number in `changes`; 0 is
    /// a copy or set.
    std::vector<std::set<std::int64_t>> finish();

private:
    struct Window {
        DigestChange* change = nullptr;
        StreamPoint point;
        bool isOpen = false;    ///< its launch was seen and is not known to be done
        bool isUnsure = false;  ///< it was given up before its launch was known to be done
        std::size_t worksSince = 0;
        std::set<std::int64_t> others;
    };
    using LaunchKey = std::tuple<ProcessId, ThreadId, std::int64_t>;

    void open(Window& window, const WritingWork& launch);
    void meet(Window& window, const WritingWork& other) const;
    bool mayMeet(const Window& window, const WritingWork& other) const;
    void forgetDone();

    const HappensBefore& m_order;
    std::vector<Window> m_windows;
    std::multimap<LaunchKey, std::size_t> m_byLaunch;
    std::vector<std::size_t> m_open;
    std::deque<WritingWork> m_recent;
    std::size_t m_forgetAt = 1024;
    bool m_isWhole = true;
};

}  // namespace vramscope::model
