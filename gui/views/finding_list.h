// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListView>

#include "gui/models/finding_list_model.h"
#include "gui/models/workspace.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// The findings at the left edge of the window.
class FindingList : public QWidget {
    Q_OBJECT

public:
    explicit FindingList(Workspace& workspace, QWidget* parent = nullptr);

    /// Opens the next finding, or the one before.
    void step(int direction);
    const FindingListModel& model() const { return m_model; }
    QString note() const { return m_page->note(); }

private:
    void renew();
    void follow(const Selection& selection);

    Workspace& m_workspace;
    FindingListModel m_model;
    QListView* m_view;
    NoteOrContent* m_page;
    QLabel* m_header;
};

}  // namespace vramscope::gui
