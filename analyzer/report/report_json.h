// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/capture.h"
#include "analyzer/report/gate.h"
#include "analyzer/report/report_options.h"

namespace vramscope::report {

/// The report as an object of schema "vramscope/report/1". Sizes are bytes, times nanoseconds since the
/// session began. Fields may be added; none is removed or changes its meaning under this name.
nlohmann::ordered_json reportJson(const model::Capture& capture,
                                  const std::vector<detectors::Finding>& findings,
                                  const ReportOptions& options);

/// A finding as an object; part of the report's and the check's.
nlohmann::ordered_json findingJson(const model::Capture& capture, const detectors::Finding& finding);

/// The verdict on one capture as an object; `vramscope check --json` prints a list of them under
/// "vramscope/check/1".
nlohmann::ordered_json checkJson(const model::Capture& capture, const GateResult& result);

}  // namespace vramscope::report
