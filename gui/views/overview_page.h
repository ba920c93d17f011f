// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>
#include <functional>
#include <vector>

#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// The first page: what was recorded and how well, what to look at, where the peak went, and what the
/// driver's number consists of. Every number leads to the view behind it.
class OverviewPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit OverviewPage(Workspace& workspace, QWidget* parent = nullptr);

    QString text() const { return m_text->toPlainText(); }
    /// Follows a link by its number, as a click does.
    void follow(std::size_t link);
    std::size_t linkCount() const { return m_links.size(); }

    QWidget& pictured() override { return *m_text; }
    const QTextDocument* document() const override { return m_text->document(); }
    /// Where the peak went.
    QString asCsv() const override;
    QString asText() const override { return text(); }

protected:
    void changeEvent(QEvent* event) override;

private:
    void renew();
    QString link(const QString& label, std::function<void()> action);
    QString headHtml();
    QString findingsHtml();
    QString peakHtml();
    QString ledgerHtml();
    QString barHtml(const std::vector<model::Share>& shares, std::int64_t total, const QString& key);
    QString sizesHtml();

    Workspace& m_workspace;
    std::vector<std::function<void()>> m_links;
    QTextBrowser* m_text;
    NoteOrContent* m_page;
};

}  // namespace vramscope::gui
