// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "collector/recorder/process_scope.h"
#include "collector/recorder/recent_map.h"

namespace vramscope::collector {

/// Contexts, devices as the process numbers them, streams and threads of one process: what other rows refer
/// to.
class IdentityTables {
public:
    explicit IdentityTables(ProcessScope& scope) : m_scope(scope) {}

    void addDevice(const ResolvedCall& call);
    void createContext(const ResolvedCall& call);
    /// Returns the id of the context that ended, 0 if unknown.
    std::int64_t destroyContext(const ResolvedCall& call);
    void createStream(const ResolvedCall& call);
    void destroyStream(const ResolvedCall& call);
    void nameThing(const ResolvedCall& call);
    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

    /// 0 when not known.
    std::int64_t contextOf(std::uint32_t contextUid) const;
    std::int64_t contextOfHandle(std::uint64_t context) const;
    std::int64_t deviceOfContext(std::int64_t contextId) const;
    std::int64_t deviceOfOrdinal(std::int32_t ordinal) const;
    /// The id of the stream that `call` names with `handle`; one never seen, as the default streams at first,
    /// gets its row. 0 for one never seen if the call failed.
    std::int64_t streamOf(const ResolvedCall& call, std::uint64_t handle, std::uint64_t timeTicks);

    /// A thread rented a lane: its row. `name` may be empty.
    std::int64_t threadStarted(std::uint32_t tid, const std::string& name, std::uint64_t timeTicks);
    /// The thread's id, 0 for one never seen.
    std::int64_t threadOf(std::uint32_t tid) const;
    void threadEnded(std::int64_t threadId, std::uint64_t timeTicks);

private:
    struct Context {
        std::int64_t contextId;
        std::int64_t deviceId;
        std::uint64_t handle;
    };

    struct StreamKey {
        std::uint64_t handle;
        std::int64_t contextId;  ///< of a default stream, else 0
        std::int64_t threadId;   ///< of a thread's default stream, else 0

        auto operator<=>(const StreamKey&) const = default;
    };

    /// CUPTI's number of the context that `call` ends, 0 if unknown.
    std::uint32_t endedContext(const ResolvedCall& call) const;
    static StreamKey keyOf(std::uint64_t handle, std::int64_t contextId, std::int64_t threadId);
    std::int64_t insertStream(const StreamKey& key, std::int64_t contextId,
                              const formats::StreamPayload& payload, std::uint64_t timeTicks);

    ProcessScope& m_scope;
    std::unordered_map<std::uint32_t, Context> m_contexts;            ///< by CUPTI's number
    std::unordered_map<std::int64_t, std::int64_t> m_contextDevices;  ///< by context id
    std::unordered_map<std::int32_t, std::int64_t> m_devices;         ///< by the process's ordinal
    std::map<StreamKey, std::int64_t> m_streams;
    RecentMap<StreamKey, std::int64_t, 64> m_recentStreams;
    std::unordered_map<std::uint32_t, std::int64_t> m_threads;  ///< by tid
};

}  // namespace vramscope::collector
