// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/model/breakdown.h"
#include "analyzer/report/sharing_policy.h"
#include "analyzer/report/style.h"

namespace vramscope::report {

/// How much a report shows.
struct ReportOptions {
    std::size_t top = 8;  ///< most lines of a list
    std::vector<model::SplitBy> splits{model::SplitBy::Library, model::SplitBy::Task, model::SplitBy::Process,
                                       model::SplitBy::Kind, model::SplitBy::Stack};
    Style style;
    bool hasViewer = false;                ///< name the command that shows a finding in the viewer
    std::optional<PolicyCount> allowed{};  ///< what a policy allowed
};

}  // namespace vramscope::report
