// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cuda.h>

#include "collector/inject/hot_data.h"

namespace vramscope::collector {

/// The options under which we launch kernels of our own in the job, each with a bit in HotData::acts.
enum class Act : std::uint8_t { Guard = 1, Poison = 2, Watch = 4, Delay = 8 };

/// Whether an option is asked for and possible in this process. One load.
inline bool isWanted(Act act) {
    return (g_hot.acts.load(std::memory_order_relaxed) & static_cast<std::uint8_t>(act)) != 0;
}

/// One option's hold on the job's one context: asked for, then started in that context at the first
/// opportunity, over when the context goes. The kernels of all options are one module, loaded once, and share
/// one stream of ours. Static storage only; any thread.
class OwnKernels {
public:
    /// `what` completes "no ... in process 7". `start` fetches kernels and memory, in an ActScope with the
    /// context current; false if the driver would not.
    constexpr OwnKernels(Act act, const char* what, bool (*start)())
        : m_act(act), m_what(what), m_start(start) {}

    /// Before recording starts: says so when the option is asked for and cannot be had.
    void prepare(bool isAskedFor);
    /// Whether it acts in the context with CUPTI's number `contextUid`; the first such question starts it.
    /// Inside an ActScope, with that context current.
    bool isReadyFor(std::uint32_t contextUid);
    bool isOn() const { return m_phase.load(std::memory_order_acquire) == Phase::On; }
    bool isOnIn(std::uint32_t contextUid) const { return isOn() && m_contextUid == contextUid; }
    std::uint32_t contextUid() const { return m_contextUid; }
    /// For good, and says why.
    void turnOff(const char* reason);
    /// The context goes, and all our memory in it.
    void end(std::uint32_t contextUid);

    /// A kernel of ours by its name, null if there is none. From `start` on.
    static CUfunction kernel(const char* name);
    /// Ours: it waits for nothing of the job's, and nothing of the job's for it. From `start` on.
    static CUstream stream();

private:
    enum class Phase : std::uint8_t { Off, Wanted, Starting, On };

    void setPhase(Phase phase);

    Act m_act;
    const char* m_what;
    bool (*m_start)();
    std::atomic<Phase> m_phase{Phase::Off};
    std::uint32_t m_contextUid = 0;
};

}  // namespace vramscope::collector
