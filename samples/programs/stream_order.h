// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/programs/sample.h"

// What the samples about order share.

namespace vramscope::samples {

/// A stream that does not wait for the default stream.
class Stream {
public:
    explicit Stream(unsigned flags = CU_STREAM_NON_BLOCKING) { CU(cuStreamCreate(&m_stream, flags)); }
    ~Stream() { CU(cuStreamDestroy(m_stream)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator CUstream() const { return m_stream; }  // NOLINT(google-explicit-constructor): it is one
    void wait() const { CU(cuStreamSynchronize(m_stream)); }

private:
    CUstream m_stream = nullptr;
};

class Event {
public:
    Event() { CU(cuEventCreate(&m_event, CU_EVENT_DISABLE_TIMING)); }
    ~Event() { CU(cuEventDestroy(m_event)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    operator CUevent() const { return m_event; }  // NOLINT(google-explicit-constructor): it is one

private:
    CUevent m_event = nullptr;
};

/// Pinned host memory, filled with zeros.
class Pinned {
public:
    explicit Pinned(std::size_t sizeBytes) {
        CU(cuMemAllocHost(&m_bytes, sizeBytes));
        for (std::size_t i = 0; i < sizeBytes; ++i)
            static_cast<unsigned char*>(m_bytes)[i] = 0;
    }
    ~Pinned() { CU(cuMemFreeHost(m_bytes)); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    void* bytes() const { return m_bytes; }
    unsigned char first() const { return *static_cast<volatile unsigned char*>(m_bytes); }

private:
    void* m_bytes = nullptr;
};

inline CUdeviceptr allocateOn(CUstream stream, std::size_t sizeBytes) {
    CUdeviceptr address = 0;
    CU(cuMemAllocAsync(&address, sizeBytes, stream));
    return address;
}

}  // namespace vramscope::samples
