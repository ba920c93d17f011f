// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <vector>

#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// Rows of one query, as text.
struct QueryResult {
    QStringList columns;
    std::vector<QStringList> rows;
    QString problem;
    bool isCut = false;  ///< there were more rows
};

/// Runs one statement on a capture that is opened for it, read-only. At most `mostRows` rows.
QueryResult runQuery(const std::filesystem::path& path, const QString& sql, std::size_t mostRows,
                     const Cancel& cancel);

}  // namespace vramscope::gui
