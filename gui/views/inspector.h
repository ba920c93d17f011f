// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>
#include <functional>
#include <vector>

#include "gui/models/workspace.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// All that is known of what is selected: a buffer with its life, both stacks, neighbours and earlier owners
/// of its address, or a stack with its frames and the source lines that are on this machine.
class Inspector : public QWidget {
    Q_OBJECT

public:
    explicit Inspector(Workspace& workspace, QWidget* parent = nullptr);

    QString text() const { return m_text->toPlainText(); }

protected:
    void changeEvent(QEvent* event) override;

private:
    void renew();
    QString link(const QString& label, std::function<void()> action);
    QString bufferLink(Row row);
    QString bufferHtml(Row row);
    QString neighboursHtml(Row row);
    QString ownersHtml(Row row);
    QString stackHtml(const QString& title, model::StackId stack) const;

    Workspace& m_workspace;
    std::vector<std::function<void()>> m_links;
    QTextBrowser* m_text;
    NoteOrContent* m_page;
};

}  // namespace vramscope::gui
