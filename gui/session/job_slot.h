// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace vramscope::gui {

/// Asked by a worker now and then: true when nobody wants its result any more.
class Cancel {
public:
    bool isRequested() const { return m_isRequested.load(std::memory_order_relaxed); }
    void request() { m_isRequested.store(true, std::memory_order_relaxed); }

private:
    std::atomic<bool> m_isRequested{false};
};

/// Work of one kind of which only the latest matters: starting again cancels what runs, and a result that
/// comes late is dropped. Belongs to one thread; work runs in the pool, `done` in the slot's thread. The
/// destructor waits for workers, so they may use what the slot's owner outlives.
class JobSlot : public QObject {
    Q_OBJECT

public:
    /// `pool` outlives the slot.
    explicit JobSlot(QThreadPool& pool, QObject* parent = nullptr);
    ~JobSlot() override;

    /// Runs `work(const Cancel&)` and gives its result to `done`, unless something newer was started or
    /// cancel() was called.
    template <typename Work, typename Done>
    void start(Work work, Done done) {
        const std::shared_ptr<Cancel> cancel = renew();
        const quint64 generation = m_generation;
        m_pool.start([this, cancel, generation, work = std::move(work), done = std::move(done)]() mutable {
            using Result = std::invoke_result_t<Work, const Cancel&>;
            auto result = std::make_shared<Result>(work(*cancel));
            QMetaObject::invokeMethod(
                this,
                [this, generation, result, done = std::move(done)]() mutable {
                    if (generation != m_generation) return;
                    setBusy(false);
                    done(std::move(*result));
                },
                Qt::QueuedConnection);
            workerEnded();
        });
    }
    void cancel();
    /// Something was started whose result was neither delivered nor cancelled.
    bool isBusy() const { return m_isBusy; }

Q_SIGNALS:
    void busyChanged(bool isBusy);

private:
    std::shared_ptr<Cancel> renew();
    void setBusy(bool isBusy);
    void workerEnded();

    QThreadPool& m_pool;
    std::shared_ptr<Cancel> m_cancel;
    quint64 m_generation = 0;
    bool m_isBusy = false;
    std::mutex m_mutex;
    std::condition_variable m_allEnded;
    int m_workers = 0;  // guarded by m_mutex
};

}  // namespace vramscope::gui
