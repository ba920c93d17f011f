// SPDX-License-Identifier: Apache-2.0
#include "tests/support/capture_builder.h"

#include <cstdlib>
#include <iostream>

#include "analyzer/model/amounts.h"
#include "analyzer/model/capture_loader.h"
#include "formats/capture_file.h"
#include "formats/event_tables.h"
#include "formats/event_writer.h"
#include "formats/schema.h"

namespace vramscope::tests {
namespace {

constexpr std::int64_t kEndNs = 10 * model::kNsPerSecond;

void need(const Status& status) {
    if (status.isOk()) return;
    std::cerr << "the test's capture could not be built: " << status.message() << "\n";
    std::abort();
}

template <typename T>
T need(StatusOr<T> value) {
    if (!value.isOk()) need(value.status());
    return std::move(*value);
}

template <typename... Values>
void insert(formats::Connection& database, const std::string& sql, const Values&... values) {
    formats::Statement statement = need(database.prepare(sql));
    need(statement.runWith(values...));
}

}  // namespace

CaptureBuilder::CaptureBuilder() : m_database(need(formats::Connection::openInMemory())) {
    need(formats::createSchema(m_database));
    fact("state", "complete");
    fact("record_mode", "all");
    fact("command", "train --fast");
    fact("session_end_ns", std::to_string(kEndNs));
    process(1);
    exec("UPDATE processes SET pid = 4711");
    insert(m_database,
           "INSERT INTO devices (device_id, uuid, name, pci_bus_id, total_bytes, driver_version)"
           " VALUES (1, 'GPU-1', 'test device', '0000:01:00.0', ?, '580.1')",
           80 * model::kGiB);
    exec(
        "INSERT INTO contexts (context_id, process_id, context_uid, handle, device_id, is_primary, start_ns, "
        "end_ns, collector_bytes)"
        " VALUES (1, 1, 1, 4096, 1, 1, 0, NULL, 0)");
    exec(
        "INSERT INTO threads (thread_id, process_id, tid, name, start_ns, end_ns)"
        " VALUES (1, 1, 4711, NULL, 0, NULL)");
    exec("INSERT INTO tasks (task_id, name, origin, process_id) VALUES (1, 'train', 'process', 1)");
}

void CaptureBuilder::process(std::int64_t id) {
    insert(
        m_database,
        "INSERT INTO processes (process_id, pid, start_ns, end_ns, end_kind, exit_code, executable, command,"
        " engine) VALUES (?, ?, 0, ?, 'exited', 0, '/opt/app/train', 'train --fast', 'cupti')",
        id, id, kEndNs);
}

void CaptureBuilder::processEnd(std::int64_t id, const std::string& kind, std::int64_t codeOrSignal) {
    const std::string column = kind == "killed" ? "exit_signal" : "exit_code";
    const std::string other = kind == "killed" ? "exit_code" : "exit_signal";
    insert(m_database,
           "UPDATE processes SET end_kind = ?, " + column + " = ?, " + other + " = NULL WHERE process_id = ?",
           kind, codeOrSignal, id);
}

std::int64_t CaptureBuilder::module(const std::string& path) {
    const auto [at, isNew] = m_modules.emplace(path, m_modules.size() + 1);
    if (isNew) {
        insert(m_database,
               "INSERT INTO modules (module_id, process_id, path, build_id, base, load_bias, size_bytes)"
               " VALUES (?, 1, ?, NULL, ?, 0, 65536)",
               at->second, path, at->second * 0x100000);
    }
    return at->second;
}

std::int64_t CaptureBuilder::frame(const std::string& text) {
    const auto [at, isNew] = m_frames.emplace(text, m_frames.size() + 1);
    if (!isNew) return at->second;
    const std::size_t bang = text.find('!');
    std::size_t place = text.rfind('@');
    const std::size_t colon = text.rfind(':');
    if (place != std::string::npos && (colon == std::string::npos || colon < place)) {
        place = std::string::npos;  // part of a name: main@@VERSION
    }
    const std::string function = text.substr(bang + 1, place - bang - 1);
    std::optional<std::string> file;
    std::optional<std::int64_t> line;
    if (place != std::string::npos) {
        file = text.substr(place + 1, colon - place - 1);
        line = std::stoll(text.substr(colon + 1));
    }
    insert(m_database,
           "INSERT INTO frames (frame_id, process_id, address, module_id, module_offset, function, file, "
           "line, inlined)"
           " VALUES (?, 1, ?, ?, ?, ?, ?, ?, NULL)",
           at->second, at->second * 16, module(text.substr(0, bang)), at->second, function, file, line);
    return at->second;
}

std::int64_t CaptureBuilder::stack(const std::vector<std::string>& frames) {
    if (const auto known = m_stacks.find(frames); known != m_stacks.end()) return known->second;
    std::optional<std::int64_t> parent;
    if (frames.size() > 1) parent = stack({frames.begin() + 1, frames.end()});
    const auto id = static_cast<std::int64_t>(m_stacks.size() + 1);
    insert(m_database, "INSERT INTO stacks (stack_id, parent_stack_id, frame_id) VALUES (?, ?, ?)", id,
           parent, frame(frames.front()));
    m_stacks.emplace(frames, id);
    return id;
}

std::int64_t CaptureBuilder::allocate(const Buffer& buffer) {
    std::int64_t address = buffer.address;
    if (address == 0) {
        address = m_nextAddress;
        m_nextAddress += model::roundUpToPage(buffer.bytes);
    }
    std::optional<std::string> endKind = buffer.endKind;
    std::optional<std::int64_t> freeNs = buffer.freeNs;
    if (!endKind && freeNs) endKind = "freed";
    if (!endKind) {
        endKind = "process-ended";
        freeNs = kEndNs;
    }
    const bool isHost = buffer.kind == "pinned" || buffer.kind == "registered";
    const std::optional<std::int64_t> device = isHost ? std::nullopt : std::optional<std::int64_t>(1);
    insert(
        m_database,
        "INSERT INTO buffers (process_id, kind, address, generation, size_bytes, context_id, device_id, "
        "pool_id,"
        " handle_id, flags, api, alloc_enter_ns, alloc_ns, alloc_thread_id, alloc_stack_id, free_ns,"
        " free_exit_ns, free_stack_id, free_api, end_kind, task_id)"
        " VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, 0, 'cuMemAlloc_v2', ?, ?, ?, ?, ?, ?, ?, 'cuMemFree_v2', ?, 1)",
        buffer.process, buffer.kind, address, ++m_generations[address], buffer.bytes, device, buffer.pool,
        buffer.handle, buffer.allocNs, buffer.allocNs, buffer.thread, buffer.stack, freeNs, freeNs,
        buffer.freeStack, endKind);
    return m_database.lastInsertId();
}

void CaptureBuilder::failedCall(const std::string& api, const std::string& family, std::int64_t error,
                                std::int64_t atNs, std::int64_t address, std::int64_t bytes,
                                std::optional<std::int64_t> stack, std::int64_t repeats) {
    const std::string errorName = error == 1   ? "CUDA_ERROR_INVALID_VALUE"
                                  : error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                                               : "CUDA_ERROR_" + std::to_string(error);
    insert(
        m_database,
        "INSERT INTO failed_calls (process_id, thread_id, enter_ns, exit_ns, api, family, error, error_name,"
        " size_bytes, address, context_id, stack_id, repeat_count)"
        " VALUES (1, 1, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        atNs, atNs + 1000, api, family, error, errorName, bytes, address, stack, repeats);
}

void CaptureBuilder::object(const std::string& kind, std::int64_t handle, std::int64_t createNs,
                            std::optional<std::int64_t> destroyNs, std::optional<std::int64_t> stack) {
    const std::string endKind = destroyNs ? "destroyed" : "process-ended";
    insert(
        m_database,
        "INSERT INTO objects (process_id, kind, handle, context_id, create_ns, create_stack_id, destroy_ns,"
        " destroy_stack_id, end_kind) VALUES (1, ?, ?, 1, ?, ?, ?, ?, ?)",
        kind, handle, createNs, stack, destroyNs ? destroyNs : std::optional<std::int64_t>(kEndNs), stack,
        endKind);
}

std::int64_t CaptureBuilder::vmmHandle(std::int64_t bytes, std::int64_t createNs,
                                       std::optional<std::int64_t> endNs, std::int64_t references,
                                       std::int64_t mappings, std::optional<std::int64_t> stack) {
    insert(m_database,
           "INSERT INTO vmm_handles (process_id, handle, size_bytes, device_id, create_ns, create_stack_id,"
           " reference_count, mapped_count, end_ns) VALUES (1, ?, ?, 1, ?, ?, ?, ?, ?)",
           createNs, bytes, createNs, stack, references, mappings, endNs);
    return m_database.lastInsertId();
}

std::int64_t CaptureBuilder::pool(bool isDefault, std::optional<std::int64_t> thresholdBytes) {
    insert(m_database,
           "INSERT INTO pools (process_id, handle, device_id, is_default, release_threshold_bytes, start_ns)"
           " VALUES (1, 77, 1, ?, ?, 0)",
           isDefault ? 1 : 0, thresholdBytes);
    return m_database.lastInsertId();
}

void CaptureBuilder::poolSample(std::int64_t timeNs, std::int64_t pool, std::int64_t reservedBytes,
                                std::int64_t usedBytes) {
    insert(m_database,
           "INSERT INTO pool_samples (time_ns, pool_id, reserved_bytes, used_bytes)"
           " VALUES (?, ?, ?, ?)",
           timeNs, pool, reservedBytes, usedBytes);
}

void CaptureBuilder::memorySample(std::int64_t timeNs, std::int64_t usedBytes,
                                  std::optional<std::int64_t> jobBytes,
                                  std::optional<std::int64_t> othersBytes) {
    insert(m_database,
           "INSERT INTO memory_samples (time_ns, device_id, used_bytes, job_bytes, others_bytes)"
           " VALUES (?, 1, ?, ?, ?)",
           timeNs, usedBytes, jobBytes, othersBytes);
}

void CaptureBuilder::step(std::int64_t startNs, std::int64_t endNs) {
    insert(m_database,
           "INSERT INTO phases (process_id, thread_id, name, kind, start_ns, end_ns)"
           " VALUES (1, 1, 'step', 'step', ?, ?)",
           startNs, endNs);
}

void CaptureBuilder::drop(const std::string& reason, std::int64_t count) {
    insert(m_database,
           "INSERT INTO drops (process_id, reason, lost_count, first_ns, last_ns)"
           " VALUES (1, ?, ?, NULL, NULL)",
           reason, count);
}

void CaptureBuilder::fact(const std::string& key, const std::string& value) {
    insert(m_database, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value);
}

void CaptureBuilder::set(std::int64_t atNs, std::int64_t buffer, std::int64_t offset, std::int64_t bytes,
                         std::int64_t thread) {
    formats::SetEvent event;
    event.enterNs = atNs;
    event.exitNs = atNs + 1;
    event.processId = 1;
    event.threadId = thread;
    event.dstBufferId = buffer;
    event.dstOffset = static_cast<std::uint64_t>(offset);
    event.bytes = static_cast<std::uint64_t>(bytes);
    add(event, "cuMemsetD8_v2");
}

std::int64_t CaptureBuilder::task(const std::string& name) {
    insert(m_database, "INSERT INTO tasks (name, origin) VALUES (?, 'annotation')", name);
    return m_database.lastInsertId();
}

void CaptureBuilder::taskSpan(std::int64_t task, std::int64_t thread, std::int64_t startNs,
                              std::int64_t endNs, const std::string& basis, std::int64_t precedence,
                              std::int64_t level) {
    insert(
        m_database,
        "INSERT INTO task_spans (process_id, thread_id, task_id, basis, precedence, level, start_ns, end_ns)"
        " VALUES (1, nullif(?, 0), ?, ?, ?, ?, ?, ?)",
        thread, task, basis, precedence, level, startNs, endNs);
}

void CaptureBuilder::owner(std::int64_t buffer, std::int64_t task) {
    insert(m_database, "UPDATE buffers SET task_id = ? WHERE buffer_id = ?", task, buffer);
}

void CaptureBuilder::handOver(const std::string& kind, std::int64_t buffer, std::int64_t offset,
                              std::int64_t bytes, std::int64_t task, std::int64_t atNs) {
    insert(
        m_database,
        "INSERT INTO ownership (process_id, kind, address, buffer_id, offset_bytes, size_bytes, to_task_id,"
        " time_ns) VALUES (1, ?, 0, ?, ?, ?, nullif(?, 0), ?)",
        kind, buffer, offset, bytes, task, atNs);
}

void CaptureBuilder::piece(const std::string& kind, std::int64_t buffer, std::int64_t offset,
                           std::int64_t bytes, std::int64_t task, std::int64_t startNs,
                           std::optional<std::int64_t> endNs) {
    insert(
        m_database,
        "INSERT INTO sub_buffers (process_id, kind, address, buffer_id, offset_bytes, size_bytes, name,"
        " task_id, start_ns, end_ns) VALUES (1, ?1, (SELECT address FROM buffers WHERE buffer_id = ?2) + ?3,"
        " ?2, ?3, ?4, 'piece', nullif(?5, 0), ?6, ?7)",
        kind, buffer, offset, bytes, task, startNs, endNs);
}

void CaptureBuilder::launch(std::int64_t atNs, const std::vector<std::int64_t>& buffers, std::int64_t thread,
                            std::int64_t kernel) {
    std::vector<formats::LaunchArgument> arguments;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        arguments.push_back({static_cast<std::uint32_t>(8 * i), buffers[i], 0});
    }
    formats::LaunchEvent& event = m_launches.emplace_back();
    event.enterNs = atNs;
    event.exitNs = atNs + 1;
    event.processId = 1;
    event.threadId = thread;
    event.kernelId = kernel;
    event.argumentSetId = argumentSet(arguments);
}

std::int64_t CaptureBuilder::argumentSet(const std::vector<formats::LaunchArgument>& arguments) {
    if (!m_arguments) m_arguments.emplace(need(formats::ArgumentWriter::make(m_database)));
    return need(m_arguments->intern(arguments));
}

formats::CopyEvent& CaptureBuilder::add(const formats::CopyEvent& event, const std::string& api) {
    return m_copies.emplace_back(event, api).first;
}

formats::SetEvent& CaptureBuilder::add(const formats::SetEvent& event, const std::string& api) {
    return m_sets.emplace_back(event, api).first;
}

void CaptureBuilder::graphLaunch(std::int64_t atNs, std::int64_t kernel, std::int64_t stream) {
    formats::LaunchEvent& event = m_launches.emplace_back();
    event.enterNs = atNs;
    event.exitNs = atNs + 1;
    event.processId = 1;
    event.threadId = 1;
    event.kernelId = kernel;
    event.streamId = stream;
}

void CaptureBuilder::sync(std::int64_t atNs) {
    formats::SyncEvent& event = m_syncs.emplace_back();
    event.enterNs = atNs;
    event.exitNs = atNs + 1;
    event.processId = 1;
    event.threadId = 1;
}

void CaptureBuilder::exec(const std::string& sql) {
    need(m_database.exec(sql));
}

void CaptureBuilder::writeEvents() {
    if (m_arguments) need(m_arguments->flush());
    formats::ChunkEncoder encoder;
    formats::ChunkRowWriter rows = need(formats::ChunkRowWriter::make(m_database));
    formats::EventWriter<formats::LaunchEvent> launches(encoder, rows);
    for (const formats::LaunchEvent& event : m_launches)
        need(launches.add(event));
    need(launches.flush());
    formats::EventWriter<formats::SyncEvent> syncs(encoder, rows);
    for (const formats::SyncEvent& event : m_syncs)
        need(syncs.add(event));
    need(syncs.flush());
    formats::EventWriter<formats::CopyEvent> copies(encoder, rows);
    for (auto& [event, api] : m_copies) {
        event.api = copies.internApi(api);
        need(copies.add(event));
    }
    need(copies.flush());
    formats::EventWriter<formats::SetEvent> sets(encoder, rows);
    for (auto& [event, api] : m_sets) {
        event.api = sets.internApi(api);
        need(sets.add(event));
    }
    need(sets.flush());
}

std::shared_ptr<const model::Capture> CaptureBuilder::load() {
    writeEvents();
    need(formats::registerEventTables(m_database));
    return need(model::loadCapture(m_database, "test.vramscope"));
}

void CaptureBuilder::writeTo(const std::filesystem::path& path) {
    writeEvents();
    insert(m_database, "VACUUM INTO ?", path.string());
}

}  // namespace vramscope::tests
