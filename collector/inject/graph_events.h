// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// A node was made. While a capture is open, writes which graph it is in and its handle: the record of the
/// captured call, which follows on the same thread, has neither. Nodes made without a capture have records of
/// their own that say it.
void announceCapturedNode(ThreadState& thread, const CUpti_ResourceData& data);

}  // namespace vramscope::collector
