// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

#include "gui/models/workspace.h"

class QListWidget;

namespace vramscope::gui {

/// The bookmarks of a capture: to go to one, or to take it away.
class BookmarkDialog : public QDialog {
    Q_OBJECT

public:
    explicit BookmarkDialog(Workspace& workspace, QWidget* parent = nullptr);

    QListWidget& list() { return *m_list; }
    void goToChosen();
    void removeChosen();

private:
    void renew();

    Workspace& m_workspace;
    QListWidget* m_list;
};

}  // namespace vramscope::gui
