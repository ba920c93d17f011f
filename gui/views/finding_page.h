// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>

#include "gui/models/story.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

class QPushButton;

namespace vramscope::gui {

/// One finding as a story: what happened when, each sentence a link, and how far to believe it.
class FindingPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit FindingPage(Workspace& workspace, QWidget* parent = nullptr);

    const std::vector<StorySentence>& story() const { return m_story; }
    /// Follows a sentence, as a click on it does.
    void followSentence(std::size_t number);
    /// The finding as Markdown, for an issue.
    QString markdown() const;

    QWidget& pictured() override { return *m_text; }
    const QTextDocument* document() const override { return m_text->document(); }
    /// All findings, a row each.
    QString asCsv() const override;
    QString asText() const override { return markdown(); }
    QString textSuffix() const override { return QStringLiteral("md"); }

private:
    void renew();
    QString html(const detectors::Finding& finding) const;
    QString relatedHtml(const detectors::Finding& finding) const;
    QString stacksHtml(const detectors::Finding& finding) const;
    void suppress();
    const detectors::Finding* shown() const;

    Workspace& m_workspace;
    std::vector<StorySentence> m_story;
    QString m_shownFinding;
    QTextBrowser* m_text;
    QPushButton* m_suppress;
    NoteOrContent* m_page;
};

}  // namespace vramscope::gui
