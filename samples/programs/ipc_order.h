// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/programs/stream_order.h"
#include "samples/programs/two_processes.h"

// What the samples share in which one process fills a buffer and another reads it.

namespace vramscope::samples {

inline constexpr std::size_t kSharedBytes = 8 * kMiB;

/// An event that another process can open.
class GivenEvent {
public:
    GivenEvent() { CU(cuEventCreate(&m_event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)); }
    ~GivenEvent() { CU(cuEventDestroy(m_event)); }
    GivenEvent(const GivenEvent&) = delete;
    GivenEvent& operator=(const GivenEvent&) = delete;

    operator CUevent() const { return m_event; }  // NOLINT(google-explicit-constructor): it is one
    CUipcEventHandle handle() const {
        CUipcEventHandle handle{};
        CU(cuIpcGetEventHandle(&handle, m_event));
        return handle;
    }

private:
    CUevent m_event = nullptr;
};

/// The other process's event.
class OpenedEvent {
public:
    explicit OpenedEvent(const CUipcEventHandle& handle) { CU(cuIpcOpenEventHandle(&m_event, handle)); }
    ~OpenedEvent() { CU(cuEventDestroy(m_event)); }
    OpenedEvent(const OpenedEvent&) = delete;
    OpenedEvent& operator=(const OpenedEvent&) = delete;

    operator CUevent() const { return m_event; }  // NOLINT(google-explicit-constructor): it is one

private:
    CUevent m_event = nullptr;
};

inline CUipcMemHandle handleOf(CUdeviceptr address) {
    CUipcMemHandle handle{};
    CU(cuIpcGetMemHandle(&handle, address));
    return handle;
}

inline CUdeviceptr openShared(const CUipcMemHandle& handle) {
    CUdeviceptr address = 0;
    CU(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    return address;
}

}  // namespace vramscope::samples
