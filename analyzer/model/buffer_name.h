// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// "b7f2c40000000.3".
std::string idText(const Buffer& buffer);

/// What the program called the bytes at `offset` at `timeNs`: the latest name of a region or block that holds
/// them; empty when it gave none.
std::string_view givenName(const Capture& capture, const Buffer& buffer, std::int64_t offset,
                           std::int64_t timeNs);

/// The two together: `b7f2c40000000.3 "gen.fc.weight"`.
std::string namedText(const Capture& capture, const Buffer& buffer, std::int64_t offset, std::int64_t timeNs);

}  // namespace vramscope::model
