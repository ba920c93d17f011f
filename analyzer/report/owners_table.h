// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/model/capture.h"
#include "analyzer/report/report_options.h"

namespace vramscope::report {

/// Every byte on the devices by its owner, at moments spread over the run and at the peak. Ends with a
/// newline.
std::string ownersTable(const model::Capture& capture, const ReportOptions& options);
/// The same as an object, schema "vramscope/owners/1".
nlohmann::ordered_json ownersJson(const model::Capture& capture);

}  // namespace vramscope::report
