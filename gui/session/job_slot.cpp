// SPDX-License-Identifier: Apache-2.0
#include "gui/session/job_slot.h"

namespace vramscope::gui {

JobSlot::JobSlot(QThreadPool& pool, QObject* parent) : QObject(parent), m_pool(pool) {}

JobSlot::~JobSlot() {
    if (m_cancel) m_cancel->request();
    std::unique_lock lock(m_mutex);
    m_allEnded.wait(lock, [this] { return m_workers == 0; });
}

void JobSlot::cancel() {
    if (m_cancel) m_cancel->request();
    ++m_generation;
    setBusy(false);
}

std::shared_ptr<Cancel> JobSlot::renew() {
    if (m_cancel) m_cancel->request();
    m_cancel = std::make_shared<Cancel>();
    ++m_generation;
    {
        const std::lock_guard lock(m_mutex);
        ++m_workers;
    }
    setBusy(true);
    return m_cancel;
}

void JobSlot::setBusy(bool isBusy) {
    if (m_isBusy == isBusy) return;
    m_isBusy = isBusy;
    Q_EMIT busyChanged(isBusy);
}

void JobSlot::workerEnded() {
    const std::lock_guard lock(m_mutex);
    if (--m_workers == 0) m_allEnded.notify_all();
}

}  // namespace vramscope::gui
