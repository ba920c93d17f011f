// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>
#include <functional>
#include <vector>

#include "gui/models/surroundings.h"
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
    bool isBusy() const { return m_job.isBusy(); }

protected:
    void changeEvent(QEvent* event) override;

private:
    void renew();
    QString link(const QString& label, std::function<void()> action);
    QString bufferLink(Row row);
    QString bufferHtml(Row row);
    QString surroundingsHtml(Row row);
    QString ownersHtml(Row row, const Surroundings& around);
    QString neighboursHtml(Row row, const Surroundings& around);
    void look(Row row);
    QString stackHtml(const QString& title, model::StackId stack) const;

    Workspace& m_workspace;
    std::vector<std::function<void()>> m_links;
    QTextBrowser* m_text;
    NoteOrContent* m_page;
    std::optional<Surroundings> m_around;  ///< of m_aroundOf; none while it is looked for
    model::BufferId m_aroundOf;
    JobSlot m_job;
};

}  // namespace vramscope::gui
