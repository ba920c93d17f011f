// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/status.h"

namespace vramscope::collector {

/// What --watch=EXPR says, as the injected library reads it (collector/inject/watch_rule.h): sizes in bytes,
/// addresses in plain hexadecimal, no spaces. A term that means nothing is a Status with a sentence for the
/// user.
StatusOr<std::string> normalisedWatch(const std::string& expression);

}  // namespace vramscope::collector
