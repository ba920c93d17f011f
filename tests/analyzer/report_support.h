// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {

/// A capture with one growing leak, a library workspace, a failed request and samples of the driver: a bit of
/// all.
inline void busyCapture(CaptureBuilder& builder) {
    builder.memorySample(kMs, 540 * kMiB, 540 * kMiB, 0);
    leakingLoop(builder, 20, 5 * kMiB);
    builder.allocate({.bytes = 8 * kMiB,
                      .allocNs = 11 * kMs,
                      .stack = builder.stack(
                          {"/usr/lib/libcublas.so.13!cublasCreate_v2", "/opt/app/train!main@train.cpp:12"})});
    builder.memorySample(210 * kMs, 700 * kMiB, 680 * kMiB, 20 * kMiB);
    builder.failedCall(
        "cuMemAlloc_v2", "alloc", 2, 212 * kMs, 0, 90 * model::kGiB,
        builder.stack({"/opt/app/train!attention@train.cpp:212", "/opt/app/train!main@train.cpp:12"}));
    builder.exec("INSERT INTO event_counts VALUES (1, 'Alloc', 101), (1, 'Free', 80)");
}

}  // namespace vramscope::tests
