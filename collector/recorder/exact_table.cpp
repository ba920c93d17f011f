// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/exact_table.h"

#include <optional>

#include "collector/recorder/or_null.h"

namespace vramscope::collector {

void ExactTable::announced(const ResolvedCall& call) {
    // What a launch that never got its record left behind.
    if (m_announced.size() >= kMostLaunches) m_announced.clear();
    m_announced[{call.threadId, call.header().enterTicks}].push_back(
        {call.record.text.handle, std::string(call.text(call.record.text.textBytes)),
         call.record.text.extra});
}

std::int64_t ExactTable::kernelOf(const Announced& announced, const formats::LaunchEvent& event) {
    if (announced.kernel.empty()) return event.kernelId;
    const auto [known, isNew] = m_nodeKernels.try_emplace(announced.kernel, 0);
    if (isNew) {
        known->second = m_scope.sink.nextId("kernels");
        m_scope.sink.run("INSERT INTO kernels(kernel_id, process_id, handle, name) VALUES(?,?,0,?)",
                         known->second, m_scope.processId, announced.kernel);
    }
    return known->second;
}

void ExactTable::launched(const ResolvedCall& call, const formats::LaunchEvent& event) {
    if (m_announced.empty()) return;
    const auto found = m_announced.find({call.threadId, call.header().enterTicks});
    if (found == m_announced.end()) return;
    CaptureSink& sink = m_scope.sink;
    for (const Announced& announced : found->second) {
        const Launch launch{sink.nextId("exact_launches"), call.header().enterTicks, announced.kernelPc,
                            call.header().exitTicks};
        sink.run(
            "INSERT INTO exact_launches(exact_launch_id, process_id, thread_id, stream_id, kernel_id, "
            "enter_ns, "
            "exit_ns, stack_id, is_graph_node) VALUES(?,?,?,?,?,?,?,?,?)",
            launch.rowId, m_scope.processId, orNull(event.threadId), orNull(event.streamId),
            orNull(kernelOf(announced, event)), event.enterNs, event.exitNs, orNull(event.stackId),
            announced.kernel.empty() ? 0 : 1);
        if (m_launches.size() >= kMostLaunches) m_launches.erase(m_launches.begin());
        m_launches[announced.number] = launch;
        const auto early = m_early.find(announced.number);
        if (early == m_early.end()) continue;
        for (const Early& access : early->second)
            write(launch, access.payload, access.detail);
        m_early.erase(early);
    }
    m_announced.erase(found);
}

void ExactTable::accessed(const ResolvedCall& call) {
    const formats::ExactAccessPayload& payload = call.record.exactAccess;
    const auto launch = m_launches.find(payload.launch);
    if (launch != m_launches.end()) return write(launch->second, payload, call.header().detail);
    if (m_early.size() < kMostLaunches) m_early[payload.launch].push_back({payload, call.header().detail});
}

void ExactTable::write(const Launch& launch, const formats::ExactAccessPayload& access, std::uint8_t detail) {
    CaptureSink& sink = m_scope.sink;
    const bool isOutside = (detail & formats::kExactOutside) != 0;
    const BufferRow* buffer = isOutside ? nullptr : m_addresses.find(access.address, launch.enterTicks);
    const auto placeOf = [&](std::uint32_t pc) {
        const bool isKnown = (detail & formats::kExactHasPc) != 0;
        return orNull(isKnown ? m_places.placeOf(launch.kernelPc, pc, launch.exitTicks) : 0);
    };
    sink.run(
        "INSERT INTO exact_accesses(exact_access_id, exact_launch_id, kind, address, size_bytes, buffer_id, "
        "buffer_offset, is_outside, first_place_id, last_place_id) VALUES(?,?,?,?,?,?,?,?,?,?)",
        sink.nextId("exact_accesses"), launch.rowId, (detail & formats::kExactWrite) != 0 ? "write" : "read",
        static_cast<std::int64_t>(access.address), static_cast<std::int64_t>(access.sizeBytes),
        orNull(buffer != nullptr ? buffer->bufferId : 0),
        buffer != nullptr ? std::optional(static_cast<std::int64_t>(access.address - buffer->address))
                          : std::nullopt,
        isOutside ? 1 : 0, placeOf(access.firstPc), placeOf(access.lastPc));
}

}  // namespace vramscope::collector
