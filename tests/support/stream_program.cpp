// SPDX-License-Identifier: Apache-2.0
#include "tests/support/stream_program.h"

#include "analyzer/model/amounts.h"

namespace vramscope::tests {
namespace {

constexpr std::int64_t kGraphKernel = 77;
constexpr const char* kApi = "cuMemcpyDtoHAsync_v2";

std::string orNull(const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "NULL";
}

}  // namespace

StreamProgram::StreamProgram(CaptureBuilder& builder) : m_builder(builder) {}

std::int64_t StreamProgram::stream(bool isBlocking, std::int64_t process) {
    const std::int64_t id = ++m_streams;
    m_builder.exec(
        "INSERT INTO streams (stream_id, process_id, context_id, handle, flags, start_ns) VALUES (" +
        std::to_string(id) + ", " + std::to_string(process) + ", " + std::to_string(process) + ", " +
        std::to_string(4096 + id) + ", " + (isBlocking ? "0" : "1") + ", 0)");
    return id;
}

std::int64_t StreamProgram::defaultStream(std::int64_t context) {
    const std::int64_t id = ++m_streams;
    m_builder.exec(
        "INSERT INTO streams (stream_id, process_id, context_id, handle, flags, start_ns) VALUES (" +
        std::to_string(id) + ", 1, " + std::to_string(context) + ", 0, 0, 0)");
    return id;
}

std::int64_t StreamProgram::event(bool isShared, std::int64_t process) {
    const std::int64_t id = ++m_events;
    m_builder.exec(
        "INSERT INTO objects (object_id, process_id, kind, handle, create_ns, is_shared) VALUES (" +
        std::to_string(id) + ", " + std::to_string(process) + ", 'event', " + std::to_string(id) + ", 0, " +
        (isShared ? "1" : "0") + ")");
    return id;
}

std::int64_t StreamProgram::addBuffer(const std::string& kind, std::int64_t bytes,
                                      std::optional<std::int64_t> stream) {
    m_nowNs += 10;
    m_buffers.push_back({kind, m_nextAddress, bytes, m_process, m_thread, m_nowNs, stream, {}, {}, {}});
    m_nextAddress += static_cast<std::uint64_t>(model::roundUpToPage(bytes));
    return static_cast<std::int64_t>(m_buffers.size());
}

std::int64_t StreamProgram::allocate(std::int64_t bytes, const std::string& kind) {
    return addBuffer(kind, bytes, std::nullopt);
}

std::int64_t StreamProgram::allocateOn(std::int64_t stream, std::int64_t bytes) {
    return addBuffer("async", bytes, stream);
}

void StreamProgram::share(const std::string& kind, const std::string& column, std::int64_t given,
                          std::int64_t opened) {
    const std::string id = std::to_string(m_shares.size() / 2 + 1);
    // When they were given and opened no rule about order asks.
    m_shares.push_back("INSERT INTO ipc_handles (ipc_handle_id, process_id, kind, handle_hash, " + column +
                       ", get_count, get_ns) VALUES (" + id + ", 1, '" + kind + "', " + id + ", " +
                       std::to_string(given) + ", 1, 0)");
    m_shares.push_back(
        "INSERT INTO ipc_imports (ipc_import_id, process_id, kind, handle_hash, ipc_handle_id, "
        "matched_by, " +
        column + ", open_ns) VALUES (" + id + ", " + std::to_string(m_process) + ", '" + kind + "', " + id +
        ", " + id + ", 'bytes', " + std::to_string(opened) + ", " + std::to_string(m_nowNs) + ")");
}

std::int64_t StreamProgram::open(std::int64_t buffer) {
    const std::int64_t bytes = m_buffers[static_cast<std::size_t>(buffer - 1)].bytes;
    const std::int64_t mapping = addBuffer("ipc", bytes, std::nullopt);
    share("memory", "buffer_id", buffer, mapping);
    return mapping;
}

std::int64_t StreamProgram::openEvent(std::int64_t event) {
    const std::int64_t opened = this->event(true, m_process);
    share("event", "object_id", event, opened);
    return opened;
}

void StreamProgram::free(std::int64_t buffer) {
    m_nowNs += 10;
    Row& row = m_buffers[static_cast<std::size_t>(buffer - 1)];
    row.freeNs = m_nowNs;
    row.freeThread = m_thread;
}

void StreamProgram::freeOn(std::int64_t buffer, std::int64_t stream) {
    free(buffer);
    m_buffers[static_cast<std::size_t>(buffer - 1)].freeStream = stream;
}

void StreamProgram::endWithProcess(std::int64_t buffer) {
    free(buffer);
    m_buffers[static_cast<std::size_t>(buffer - 1)].wasFreed = false;
}

std::uint64_t StreamProgram::addressOf(std::int64_t buffer) const {
    return m_buffers[static_cast<std::size_t>(buffer - 1)].address;
}

template <typename Event>
Event StreamProgram::begin(std::int64_t stream) {
    m_nowNs += 10;
    Event event;
    event.enterNs = m_nowNs;
    event.exitNs = m_nowNs + 5;
    event.processId = m_process;
    event.threadId = m_thread;
    event.streamId = stream;
    return event;
}

void StreamProgram::set(std::int64_t stream, std::int64_t buffer, std::int64_t offset, std::int64_t bytes,
                        bool isAsync) {
    auto event = begin<formats::SetEvent>(stream);
    event.dstBufferId = buffer;
    event.dstOffset = static_cast<std::uint64_t>(offset);
    event.dstAddress = addressOf(buffer) + event.dstOffset;
    event.bytes = static_cast<std::uint64_t>(bytes);
    event.isAsync = isAsync;
    m_lastExitNs = &m_builder.add(event, "cuMemsetD8Async").exitNs;
}

void StreamProgram::copy(formats::CopyEvent event, const std::string& api) {
    const auto call = begin<formats::CopyEvent>(event.streamId);
    event.enterNs = call.enterNs;
    event.exitNs = call.exitNs;
    event.processId = call.processId;
    event.threadId = call.threadId;
    m_lastExitNs = &m_builder.add(event, api).exitNs;
}

void StreamProgram::read(std::int64_t stream, std::int64_t buffer, std::int64_t offset, std::int64_t bytes) {
    const std::int64_t target = allocate(bytes, "pinned");
    formats::CopyEvent event;
    event.streamId = stream;
    event.direction = formats::CopyDirection::DeviceToHost;
    event.isAsync = true;
    event.srcBufferId = buffer;
    event.srcOffset = static_cast<std::uint64_t>(offset);
    event.srcAddress = addressOf(buffer) + event.srcOffset;
    event.dstBufferId = target;
    event.dstAddress = addressOf(target);
    event.bytes = static_cast<std::uint64_t>(bytes);
    copy(event, kApi);
}

void StreamProgram::launch(std::int64_t stream, const std::vector<std::int64_t>& buffers,
                           std::int64_t offset) {
    auto event = begin<formats::LaunchEvent>(stream);
    std::vector<formats::LaunchArgument> arguments;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        arguments.push_back(
            {static_cast<std::uint32_t>(8 * i), buffers[i], static_cast<std::uint64_t>(offset)});
    }
    event.argumentSetId = m_builder.argumentSet(arguments);
    m_lastExitNs = &m_builder.add(event).exitNs;
}

void StreamProgram::launchGraph(std::int64_t stream) {
    m_builder.exec("INSERT OR IGNORE INTO kernels VALUES (77, 1, 77, '(graph)')");
    auto event = begin<formats::LaunchEvent>(stream);
    event.kernelId = kGraphKernel;
    m_lastExitNs = &m_builder.add(event).exitNs;
}

void StreamProgram::sync(formats::SyncKind kind, std::int64_t stream, std::int64_t event,
                         std::uint32_t result) {
    auto call = begin<formats::SyncEvent>(stream);
    call.kind = kind;
    call.contextId = m_process;
    call.objectId = event;
    call.handle = static_cast<std::uint64_t>(event);
    call.result = result;
    m_lastExitNs = &m_builder.add(call).exitNs;
}

void StreamProgram::record(std::int64_t event, std::int64_t stream) {
    sync(formats::SyncKind::EventRecord, stream, event);
}
void StreamProgram::wait(std::int64_t event, std::int64_t stream) {
    sync(formats::SyncKind::StreamWait, stream, event);
}

void StreamProgram::waitForValue(std::int64_t stream, std::int64_t buffer, std::uint64_t value,
                                 std::uint32_t flags) {
    auto call = begin<formats::SyncEvent>(stream);
    call.kind = formats::SyncKind::WaitValue;
    call.handle = addressOf(buffer);
    call.value = value;
    call.flags = flags;
    m_lastExitNs = &m_builder.add(call).exitNs;
}

void StreamProgram::writeValue(std::int64_t stream, std::int64_t buffer, std::uint64_t value) {
    auto event = begin<formats::SetEvent>(stream);
    event.dstBufferId = buffer;
    event.dstAddress = addressOf(buffer);
    event.bytes = 4;
    event.elementBytes = 4;
    event.value = value;
    event.isAsync = true;
    event.isStreamWrite = true;
    m_lastExitNs = &m_builder.add(event, "cuStreamWriteValue32_v2").exitNs;
}

void StreamProgram::lastCallTakesUntilNow() {
    m_nowNs += 10;
    *m_lastExitNs = m_nowNs + 5;
}

void StreamProgram::writeBuffers() {
    for (const Row& row : m_buffers) {
        const bool isHost = row.kind == "pinned";
        m_builder.exec(
            "INSERT INTO buffers (process_id, kind, address, generation, size_bytes, context_id, device_id, "
            "flags, "
            "api, alloc_enter_ns, alloc_ns, alloc_thread_id, stream_id, free_ns, free_exit_ns, "
            "free_thread_id, "
            "free_stream_id, free_api, end_kind) VALUES (" +
            std::to_string(row.process) + ", '" + row.kind + "', " + std::to_string(row.address) + ", 1, " +
            std::to_string(row.bytes) + ", 1, " + (isHost ? "NULL" : "1") + ", 0, 'cuMemAlloc_v2', " +
            std::to_string(row.allocNs) + ", " + std::to_string(row.allocNs + 5) + ", " +
            std::to_string(row.thread) + ", " + orNull(row.stream) + ", " + orNull(row.freeNs) + ", " +
            (row.freeNs ? std::to_string(*row.freeNs + 5) : "NULL") + ", " + orNull(row.freeThread) + ", " +
            orNull(row.freeStream) + ", " +
            (!row.freeNs    ? "NULL, NULL"
             : row.wasFreed ? "'cuMemFree_v2', 'freed'"
                            : "NULL, 'process-ended'") +
            ")");
    }
    for (const std::string& share : m_shares)
        m_builder.exec(share);
    m_shares.clear();
    m_buffers.clear();
}

void StreamProgram::writeTo(const std::filesystem::path& path) {
    writeBuffers();
    m_builder.writeTo(path);
}

std::shared_ptr<const model::Capture> StreamProgram::load() {
    writeBuffers();
    return m_builder.load();
}

}  // namespace vramscope::tests
