// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/capture.h"
#include "formats/argument_writer.h"
#include "formats/event_types.h"
#include "formats/sqlite.h"

namespace vramscope::tests {

/// Writes small captures in memory, in the words of a test: "this stack allocated 1 MiB at 5 ms". A call that
/// fails ends the test program: a test whose capture is not what it says proves nothing.
///
/// It begins with one process (pid 4711, program train, exited with code 0 after 10 s), one device of 80 GiB,
/// one context, one task "train" and one thread; times are nanoseconds.
class CaptureBuilder {
public:
    struct Buffer {
        std::int64_t process = 1;
        std::string kind = "device";
        std::int64_t address = 0;  ///< 0: the next free 2 MiB page
        std::int64_t bytes = 1 << 20;
        std::int64_t allocNs = 0;
        std::optional<std::int64_t> freeNs{};
        std::optional<std::int64_t> stack{};
        std::optional<std::int64_t> freeStack{};
        std::optional<std::string>
            endKind{};  ///< default: 'freed' with freeNs, else 'process-ended' with the process
        std::optional<std::int64_t> pool{};
        std::optional<std::int64_t> handle{};
        std::int64_t thread = 1;
    };

    CaptureBuilder();

    /// A stack from the innermost frame out, each "module!function" or "module!function@file:line".
    std::int64_t stack(const std::vector<std::string>& frames);
    std::int64_t allocate(const Buffer& buffer);
    /// A second process, like the first but with this id as its pid.
    void process(std::int64_t id);
    /// How a process ended: 'exited' with a code, or 'killed' by a signal.
    void processEnd(std::int64_t process, const std::string& kind, std::int64_t codeOrSignal);
    void failedCall(const std::string& api, const std::string& family, std::int64_t error, std::int64_t atNs,
                    std::int64_t address, std::int64_t bytes, std::optional<std::int64_t> stack,
                    std::int64_t repeats = 1);
    void object(const std::string& kind, std::int64_t handle, std::int64_t createNs,
                std::optional<std::int64_t> destroyNs, std::optional<std::int64_t> stack);
    std::int64_t vmmHandle(std::int64_t bytes, std::int64_t createNs, std::optional<std::int64_t> endNs,
                           std::int64_t references, std::int64_t mappings, std::optional<std::int64_t> stack);
    std::int64_t pool(bool isDefault, std::optional<std::int64_t> thresholdBytes);
    void poolSample(std::int64_t timeNs, std::int64_t pool, std::int64_t reservedBytes,
                    std::int64_t usedBytes);
    void memorySample(std::int64_t timeNs, std::int64_t usedBytes, std::optional<std::int64_t> jobBytes,
                      std::optional<std::int64_t> othersBytes);
    void step(std::int64_t startNs, std::int64_t endNs);
    void drop(const std::string& reason, std::int64_t count);
    void fact(const std::string& key, const std::string& value);
    /// A launch that is given these buffers, and a synchronisation.
    void launch(std::int64_t atNs, const std::vector<std::int64_t>& buffers = {}, std::int64_t thread = 1,
                std::int64_t kernel = 0);
    /// A launch of the executable graph whose row of `graphs` has this kernel.
    void graphLaunch(std::int64_t atNs, std::int64_t kernel, std::int64_t stream = 1);
    /// A set of some bytes of a buffer.
    void set(std::int64_t atNs, std::int64_t buffer, std::int64_t offset, std::int64_t bytes,
             std::int64_t thread = 1);
    /// A task that the program names, and when a thread (0: any) worked for it.
    std::int64_t task(const std::string& name);
    void taskSpan(std::int64_t task, std::int64_t thread, std::int64_t startNs, std::int64_t endNs,
                  const std::string& basis = "mark", std::int64_t precedence = 0, std::int64_t level = 0);
    /// The owner of a buffer when it was made.
    void owner(std::int64_t buffer, std::int64_t task);
    /// 'give', 'lend-read' and so on of a range, to `task` or (0) all.
    void handOver(const std::string& kind, std::int64_t buffer, std::int64_t offset, std::int64_t bytes,
                  std::int64_t task, std::int64_t atNs);
    /// 'region', 'heap' or 'block'.
    void piece(const std::string& kind, std::int64_t buffer, std::int64_t offset, std::int64_t bytes,
               std::int64_t task, std::int64_t startNs, std::optional<std::int64_t> endNs = {});
    void sync(std::int64_t atNs);
    /// Packed events as they are; what they return may be changed until load(). `api` is the call's name.
    formats::LaunchEvent& add(const formats::LaunchEvent& event) { return m_launches.emplace_back(event); }
    formats::SyncEvent& add(const formats::SyncEvent& event) { return m_syncs.emplace_back(event); }
    formats::CopyEvent& add(const formats::CopyEvent& event, const std::string& api);
    formats::SetEvent& add(const formats::SetEvent& event, const std::string& api);
    /// The number of a set of pointers for LaunchEvent::argumentSetId.
    std::int64_t argumentSet(const std::vector<formats::LaunchArgument>& arguments);
    /// Any statement, for what the calls above have no word for.
    void exec(const std::string& sql);

    /// The loaded capture; call once, at the end.
    std::shared_ptr<const model::Capture> load();
    /// The same as a file, for tests of whole programs.
    void writeTo(const std::filesystem::path& path);

private:
    std::int64_t frame(const std::string& text);
    std::int64_t module(const std::string& path);
    void writeEvents();

    formats::Connection m_database;
    std::map<std::string, std::int64_t> m_modules;
    std::map<std::string, std::int64_t> m_frames;
    std::map<std::vector<std::string>, std::int64_t> m_stacks;
    std::map<std::int64_t, std::int64_t> m_generations;
    std::optional<formats::ArgumentWriter> m_arguments;
    std::deque<formats::LaunchEvent> m_launches;  // which do not move when more come
    std::deque<formats::SyncEvent> m_syncs;
    std::deque<std::pair<formats::CopyEvent, std::string>> m_copies;
    std::deque<std::pair<formats::SetEvent, std::string>> m_sets;
    std::int64_t m_nextAddress = 0x7f0000000000;
};

}  // namespace vramscope::tests
