// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_text.h"

namespace vramscope::report {

std::string reportText(const model::Capture& capture, const std::vector<detectors::Finding>& findings,
                       const ReportOptions& options) {
    std::string text = headerSection(capture);
    text += problemsSection(capture, findings, options);
    text += keptSection(capture, findings, options);
    text += peakSection(capture, options);
    text += endSection(capture, options);
    text += failuresSection(capture, options);
    text += unusedSection(capture, options);
    text += ledgerSection(capture, options);
    text += healthSection(capture, options);
    return text;
}

}  // namespace vramscope::report
