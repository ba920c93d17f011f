// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTableView>
#include <vector>

#include "gui/models/buffer_table_model.h"

namespace vramscope::gui {

/// Keeps what somebody looks at in the table of buffers while a capture that grows is read again: the rows
/// that are shown, the current one and the selected ones stay the same buffers, wherever they stand now. Who
/// is at the top stays there and sees what comes.
class TableKeeper : public QObject {
    Q_OBJECT

public:
    /// `table` shows `model`; both outlive the keeper or end with it.
    TableKeeper(QTableView& table, BufferTableModel& model);

private:
    void remember();
    void restore();

    QTableView& m_table;
    BufferTableModel& m_model;
    bool m_isAtTop = true;
    int m_left = 0;                          ///< of the horizontal scroll bar
    int m_top = 0;                           ///< the first row shown, where its buffer is gone
    int m_column = 0;                        ///< the current one
    std::vector<model::BufferId> m_buffers;  ///< first shown, current, and the selected ones
};

}  // namespace vramscope::gui
