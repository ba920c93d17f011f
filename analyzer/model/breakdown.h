// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// What live bytes can be split by.
enum class SplitBy { Process, Task, Library, Kind, Stack };

/// "process", "task", "library", "kind", "stack".
std::string_view name(SplitBy split);

struct Share {
    std::string label;
    std::int64_t bytes = 0;
    std::int64_t bufferCount = 0;
    StackId stack;  ///< for SplitBy::Stack: the stack itself
};

/// What was live on the devices at `timeNs`, largest share first, shares of equal size by label. Sums to what
/// LiveTimeline says for that moment.
std::vector<Share> liveShares(const Capture& capture, std::int64_t timeNs, SplitBy split);

/// The same for what each process still held when it ended, or when the capture ended.
std::vector<Share> sharesHeldAtEnd(const Capture& capture, SplitBy split);
/// Host memory that was pinned or registered and that its process still held when it ended.
std::vector<Share> hostSharesHeldAtEnd(const Capture& capture, SplitBy split);
/// The bytes of all shares together.
std::int64_t totalBytes(const std::vector<Share>& shares);

/// True when the physical memory of `handle` was still held when its process ended.
bool isHeldAtEnd(const Capture& capture, const VmmHandle& handle);

}  // namespace vramscope::model
