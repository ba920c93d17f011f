// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>
#include <memory>

#include "analyzer/report/diff.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// What differs between the open capture and another one, as `vramscope diff` tells it: findings that came
/// and went, and bytes that moved.
class ComparePage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit ComparePage(Workspace& workspace, QWidget* parent = nullptr);

    /// Compares with `before`, which is the older of the two.
    void compareWith(const std::filesystem::path& before);
    bool isBusy() const { return m_job.isBusy(); }
    QString text() const { return m_text->toPlainText(); }
    QString note() const { return m_page->note(); }

    QWidget& pictured() override { return *m_text; }
    const QTextDocument* document() const override { return m_text->document(); }
    QString asCsv() const override;
    QString asText() const override { return m_difference ? text() : QString(); }

Q_SIGNALS:
    /// The person asks for a file to compare with.
    void fileWanted();

private:
    struct Outcome {
        std::shared_ptr<const report::Difference> difference;
        QString problem;
    };
    void start();
    void show(const report::Difference& difference);
    void showInvitation();

    Workspace& m_workspace;
    std::filesystem::path m_before;
    std::shared_ptr<const report::Difference> m_difference;  ///< what is shown; null with an invitation
    bool m_isSwapped = false;
    QTextBrowser* m_text;
    NoteOrContent* m_page;
    JobSlot m_job;
};

}  // namespace vramscope::gui
