// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/capture.h"
#include "analyzer/report/report_options.h"

namespace vramscope::report {

/// The report of one capture for a person, problems first. Ends with a newline.
std::string reportText(const model::Capture& capture, const std::vector<detectors::Finding>& findings,
                       const ReportOptions& options);

/// Its sections, each empty or ending with a newline; they are parts of reportText().
std::string headerSection(const model::Capture& capture);
std::string problemsSection(const model::Capture& capture, const std::vector<detectors::Finding>& findings,
                            const ReportOptions& options);
std::string keptSection(const model::Capture& capture, const std::vector<detectors::Finding>& findings,
                        const ReportOptions& options);
std::string peakSection(const model::Capture& capture, const ReportOptions& options);
std::string endSection(const model::Capture& capture, const ReportOptions& options);
std::string failuresSection(const model::Capture& capture, const ReportOptions& options);
std::string unusedSection(const model::Capture& capture, const ReportOptions& options);
std::string ledgerSection(const model::Capture& capture, const ReportOptions& options);
std::string healthSection(const model::Capture& capture, const ReportOptions& options);

/// "Program 4711 (rank 3) was killed by signal 9 at 2.1 s." and the like: how each process ended, where that
/// is not simply well.
std::vector<std::string> endingsTold(const model::Capture& capture);

}  // namespace vramscope::report
