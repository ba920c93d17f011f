// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/record.h"

namespace vramscope::collector {

/// The name of a record type in table `event_counts` and in `vramscope dump`.
constexpr const char* recordTypeName(formats::RecordType type) {
    constexpr const char* kNames[] = {"filler",
                                      "alloc",
                                      "free",
                                      "vmm-reserve",
                                      "vmm-address-free",
                                      "vmm-create",
                                      "vmm-release",
                                      "vmm-retain",
                                      "vmm-map",
                                      "vmm-unmap",
                                      "vmm-set-access",
                                      "pool-create",
                                      "pool-destroy",
                                      "pool-trim",
                                      "pool-attribute",
                                      "pool-sample",
                                      "pool-default",
                                      "context-create",
                                      "context-destroy",
                                      "primary-context",
                                      "gpu-module",
                                      "module-global",
                                      "copy",
                                      "set",
                                      "stream-write",
                                      "launch",
                                      "kernel-name",
                                      "stream-create",
                                      "stream-destroy",
                                      "object-create",
                                      "object-destroy",
                                      "sync",
                                      "phase",
                                      "name",
                                      "host-module",
                                      "device",
                                      "thread-start",
                                      "call-failed",
                                      "job-exception",
                                      "guard-hit",
                                      "exact-launch",
                                      "exact-access",
                                      "exact-code",
                                      "graph-call",
                                      "graph-node",
                                      "graph-memory-sample",
                                      "share",
                                      "peer-access",
                                      "task",
                                      "ownership",
                                      "digest-change"};
    static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<std::size_t>(formats::RecordType::Count));
    return kNames[static_cast<std::size_t>(type)];
}

}  // namespace vramscope::collector
