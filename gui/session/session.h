// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QTemporaryDir>
#include <QThreadPool>
#include <filesystem>
#include <memory>

#include "analyzer/model/capture.h"
#include "formats/salvage.h"
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
    /// Reads again what a recorder has added meanwhile: the same signals come, but opened() and
    /// previewReady(), and what is there stays until the newer one is. Nothing while something loads.
    void refresh();
    /// Looks for what can still be read of a file that failed(): salvageReady() comes when there is
    /// something.
    void salvage();
    /// Opens what salvage() found in place of the file. No problems are looked for in it: what is missing
    /// could make anything look wrong.
    void openSalvage();

    const std::filesystem::path& path() const { return m_path; }
    bool isOpen() const { return !m_path.empty(); }
    /// The file to read: path(), or the copy that holds what could be read of it.
    const std::filesystem::path& readablePath() const { return m_isSalvaged ? m_salvage->copy : m_path; }
    /// What salvage() found, or nullptr.
    std::shared_ptr<const formats::Salvage> salvaged() const { return m_salvage; }
    /// What is shown is what could be read of a damaged file.
    bool isSalvaged() const { return m_isSalvaged; }
    bool isRefreshing() const { return m_isRefreshing; }
    /// Its recorder runs, as far as LiveFollower can see.
    bool isGrowing() const { return m_isGrowing; }
    void setGrowing(bool isGrowing) { m_isGrowing = isGrowing; }
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
    void salvageReady();
    void busyChanged();

private:
    void forget();
    void loadPreview();
    /// A part could not be read. True when that is no news: while a capture grows the next look will tell.
    bool isExcused();
    void loadFacts();
    void loadBuffers();
    void loadAnalysis();

    std::filesystem::path m_path;
    std::shared_ptr<const Preview> m_preview;
    std::shared_ptr<const model::Capture> m_facts;
    std::shared_ptr<const BufferStore> m_buffers;
    std::shared_ptr<const Analysis> m_analysis;
    bool m_waitsForAnalysis = false;
    bool m_isRefreshing = false;
    bool m_isSalvaged = false;
    bool m_isGrowing = false;
    std::shared_ptr<const formats::Salvage> m_salvage;
    std::unique_ptr<QTemporaryDir> m_salvageFolder;

    QThreadPool m_pool;
    JobSlot m_previewJob;
    JobSlot m_factsJob;
    JobSlot m_buffersJob;
    JobSlot m_analysisJob;
    JobSlot m_salvageJob;
};

}  // namespace vramscope::gui
