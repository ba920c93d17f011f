// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// Driver calls that we make on our own account while it lives are not recorded as the job's.
class InsideScope {
public:
    explicit InsideScope(ThreadState& thread) : m_thread(thread), m_before(thread.inside) {
        thread.inside = true;
    }
    ~InsideScope() { m_thread.inside = m_before; }
    InsideScope(const InsideScope&) = delete;
    InsideScope& operator=(const InsideScope&) = delete;

private:
    ThreadState& m_thread;
    bool m_before;
};

}  // namespace vramscope::collector
