// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "analyzer/detectors/detector.h"

namespace vramscope::detectors {

/// Buffers of one process that one stack allocated; without stacks, those of one kind and size.
struct StackGroup {
    model::ProcessId processId;
    model::StackId stackId;
    std::vector<const model::Buffer*> buffers;  ///< by time of allocation

    std::int64_t bytes() const;
};

/// Groups the buffers that `wants` accepts, in order of each group's first allocation.
std::vector<StackGroup> groupByStack(const model::Capture& capture,
                                     const std::function<bool(const model::Buffer&)>& wants);

/// Groups what `wants` accepts of the buffers that a process which ended by itself never gave back, and that
/// no earlier finding tells about.
std::vector<StackGroup> groupsLeftAtExit(const Evidence& evidence,
                                         const std::function<bool(const model::Buffer&)>& wants);

/// The buffers that earlier findings have told about.
std::unordered_set<std::int64_t> buffersAlreadyTold(const std::vector<Finding>& earlier);

/// "device memory, owner train.py": kind and task of a group's buffers, "several kinds" when they differ.
std::string whatTheyAre(const model::Capture& capture, const StackGroup& group);

/// Sets processes, stack, buffers, bytes, counts and fingerprint of a finding about a group.
void describeGroup(const model::Capture& capture, const StackGroup& group, Finding& finding);

}  // namespace vramscope::detectors
