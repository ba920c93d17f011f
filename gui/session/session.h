// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <memory>

#include "analyzer/model/capture.h"
#include "formats/status.h"
#include "gui/session/analysis.h"
#include "gui/session/buffer_store.h"
#include "gui/session/job_slot.h"
#include "gui/session/preview.h"

namespace vramscope::gui {

/// One open capture. Results come topic by topic, each immutable and shared: the preview at once, then the
/// facts, the buffers and what the analyzer makes of them. All signals come in the thread of the session.
class Session : public QObject {
    Q_OBJECT

public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override;

    /// Begins to load; what was open is let go.
    void open(const std::filesystem::path& path);
    void close();
    /// Stops what is still loading. What has arrived stays.
    void cancel();
    /// Runs the analyzer although the capture is large.
    void analyseNow();

    const std::filesystem::path& path() const { return m_path; }
    bool isOpen() const { return !m_path.empty(); }
    std::shared_ptr<const Preview> preview() const { return m_preview; }
    std::shared_ptr<const model::Capture> facts() const { return m_facts; }
    std::shared_ptr<const BufferStore> buffers() const { return m_buffers; }
    std::shared_ptr<const Analysis> analysis() const { return m_analysis; }
    /// The analysis was not begun because the capture is large; analyseNow() begins it.
    bool waitsForAnalysis() const { return m_waitsForAnalysis; }
    /// Nothing is loading.
    bool isIdle() const;
    /// End of the run, as far as anything loaded knows.
    std::int64_t endNs() const;
    /// For views' own work.
    QThreadPool& pool() { return m_pool; }

Q_SIGNALS:
    void opened();  ///< a file was named; nothing is loaded yet
    void closed();
    void previewReady();
    void factsReady();
    void buffersReady();
    void analysisReady();
    /// The file cannot be shown: nothing but the preview, if even that, will come.
    void failed(const vramscope::Status& why);
    /// A part of it could not be loaded; the rest is there.
    void partFailed(const QString& what, const vramscope::Status& why);
    void busyChanged();

private:
    void forget();
    void loadFacts();
    void loadBuffers();
    void loadAnalysis();

    std::filesystem::path m_path;
    std::shared_ptr<const Preview> m_preview;
    std::shared_ptr<const model::Capture> m_facts;
    std::shared_ptr<const BufferStore> m_buffers;
    std::shared_ptr<const Analysis> m_analysis;
    bool m_waitsForAnalysis = false;

    QThreadPool m_pool;
    JobSlot m_previewJob;
    JobSlot m_factsJob;
    JobSlot m_buffersJob;
    JobSlot m_analysisJob;
};

}  // namespace vramscope::gui
