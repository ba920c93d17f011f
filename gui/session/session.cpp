// SPDX-License-Identifier: Apache-2.0
#include "gui/session/session.h"

#include <algorithm>
#include <thread>

#include "analyzer/model/capture_loader.h"
#include "formats/capture_file.h"

namespace vramscope::gui {

Session::Session(QObject* parent)
    : QObject(parent),
      m_previewJob(m_pool),
      m_factsJob(m_pool),
      m_buffersJob(m_pool),
      m_analysisJob(m_pool),
      m_salvageJob(m_pool) {
    // Loading alone may take two, and a view that waits for a filter should not wait for them.
    m_pool.setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
    for (JobSlot* slot : {&m_previewJob, &m_factsJob, &m_buffersJob, &m_analysisJob, &m_salvageJob})
        connect(slot, &JobSlot::busyChanged, this, &Session::busyChanged);
}

Session::~Session() {
    cancel();
}

void Session::open(const std::filesystem::path& path) {
    cancel();
    forget();
    m_path = path;
    Q_EMIT opened();
    loadPreview();
}

void Session::loadPreview() {
    m_previewJob.start([path = readablePath()](const Cancel&) { return gui::loadPreview(path); },
                       [this](StatusOr<std::shared_ptr<const Preview>> result) {
                           if (!result.isOk()) {
                               Q_EMIT failed(result.status());
                               return;
                           }
                           m_preview = *result;
                           Q_EMIT previewReady();
                           loadFacts();
                       });
}

void Session::refresh() {
    if (!m_preview || !m_facts || !m_buffers || m_isSalvaged || !isIdle()) return;
    m_isRefreshing = true;
    m_previewJob.start([path = m_path](const Cancel&) { return gui::loadPreview(path, 0); },
                       [this](StatusOr<std::shared_ptr<const Preview>> result) {
                           if (!result.isOk()) {
                               (void)isExcused();
                               return;
                           }
                           m_preview = *result;
                           loadFacts();
                       });
}

bool Session::isExcused() {
    if (!m_isRefreshing) return false;
    m_isRefreshing = false;
    Q_EMIT busyChanged();
    return true;
}

void Session::salvage() {
    if (m_path.empty() || m_isSalvaged) return;
    m_salvageFolder = std::make_unique<QTemporaryDir>();
    if (!m_salvageFolder->isValid()) return;
    m_salvageJob.start(
        [path = m_path,
         folder = std::filesystem::path(m_salvageFolder->path().toStdString())](const Cancel& cancel) {
            return formats::salvageCapture(path, folder, [&cancel] { return cancel.isRequested(); });
        },
        [this](StatusOr<formats::Salvage> result) {
            if (!result.isOk()) return m_salvageFolder.reset();
            m_salvage = std::make_shared<const formats::Salvage>(std::move(*result));
            Q_EMIT salvageReady();
        });
}

void Session::openSalvage() {
    if (!m_salvage) return;
    const auto path = m_path;
    auto salvage = m_salvage;
    auto folder = std::move(m_salvageFolder);
    cancel();
    forget();
    m_path = path;
    m_salvage = std::move(salvage);
    m_salvageFolder = std::move(folder);
    m_isSalvaged = true;
    Q_EMIT opened();
    loadPreview();
}

void Session::loadFacts() {
    const auto path = readablePath();
    m_factsJob.start(
        [path](const Cancel&) -> StatusOr<std::shared_ptr<const model::Capture>> {
            VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                       formats::openCaptureForReading(path, 0));
            return model::loadFacts(connection, path);
        },
        [this](StatusOr<std::shared_ptr<const model::Capture>> result) {
            if (!result.isOk()) {
                if (!isExcused()) Q_EMIT partFailed(tr("processes, stacks and samples"), result.status());
                return;
            }
            m_facts = *result;
            Q_EMIT factsReady();
            loadBuffers();
        });
}

void Session::loadBuffers() {
    const int threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 4U));
    m_buffersJob.start([facts = m_facts,
                        threads](const Cancel& cancel) { return BufferStore::load(*facts, threads, cancel); },
                       [this](StatusOr<std::shared_ptr<const BufferStore>> result) {
                           if (!result.isOk()) {
                               if (!isExcused()) Q_EMIT partFailed(tr("buffers"), result.status());
                               return;
                           }
                           m_buffers = *result;
                           m_waitsForAnalysis =
                               m_buffers->bufferCount() > kMostBuffersUnasked && !m_isSalvaged;
                           Q_EMIT buffersReady();
                           if (!m_waitsForAnalysis && !m_isSalvaged) return loadAnalysis();
                           (void)isExcused();
                       });
}

void Session::loadAnalysis() {
    m_analysisJob.start([path = m_path](const Cancel& cancel) { return analyse(path, cancel); },
                        [this](StatusOr<std::shared_ptr<const Analysis>> result) {
                            if (!result.isOk()) {
                                if (!isExcused()) Q_EMIT partFailed(tr("findings"), result.status());
                                return;
                            }
                            m_analysis = *result;
                            m_isRefreshing = false;
                            Q_EMIT analysisReady();
                        });
}

void Session::analyseNow() {
    if (!m_waitsForAnalysis || !m_buffers) return;
    m_waitsForAnalysis = false;
    loadAnalysis();
}

void Session::close() {
    cancel();
    forget();
    Q_EMIT closed();
}

void Session::cancel() {
    for (JobSlot* slot : {&m_previewJob, &m_factsJob, &m_buffersJob, &m_analysisJob, &m_salvageJob})
        slot->cancel();
    m_isRefreshing = false;
}

void Session::forget() {
    m_path.clear();
    m_preview.reset();
    m_facts.reset();
    m_buffers.reset();
    m_analysis.reset();
    m_waitsForAnalysis = false;
    m_isSalvaged = false;
    m_isGrowing = false;
    m_salvage.reset();
    m_salvageFolder.reset();
}

bool Session::isIdle() const {
    return !m_previewJob.isBusy() && !m_factsJob.isBusy() && !m_buffersJob.isBusy() &&
           !m_analysisJob.isBusy() && !m_salvageJob.isBusy();
}

std::int64_t Session::endNs() const {
    std::int64_t end = m_preview ? m_preview->endNs : 0;
    if (m_facts) end = std::max(end, m_facts->endNs);
    if (m_buffers) end = std::max(end, m_buffers->lastNs);
    return std::max<std::int64_t>(end, 1);
}

}  // namespace vramscope::gui
