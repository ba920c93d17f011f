// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace vramscope::collector {

/// Keeps a pending pthread_cancel() away while our rare system calls run: a thread that is unwound out of a
/// CUDA call leaves the driver's locks behind it, and cudaMalloc by itself need not be a cancellation point.
class CancellationGuard {
public:
    CancellationGuard() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m_before); }
    ~CancellationGuard() { ::pthread_setcancelstate(m_before, nullptr); }
    CancellationGuard(const CancellationGuard&) = delete;
    CancellationGuard& operator=(const CancellationGuard&) = delete;

private:
    int m_before = PTHREAD_CANCEL_ENABLE;
};

}  // namespace vramscope::collector
