// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the job's threads and the digest kernel share.

namespace vramscope::device {

/// What became of a digest.
enum class DigestOutcome : unsigned int {
    Empty,    ///< the place is free
    Pending,  ///< asked for, and not there yet
    Taken,    ///< there; it had nothing to compare itself with
    Same,     ///< as the digest before it
    Changed,  ///< not as the digest before it
    Gone,     ///< the buffer was freed before it was read
};

/// A digest that is asked for, in pinned memory that both see. The host writes all but the outcome, and
/// takes the address away when the buffer goes.
struct DigestTask {
    unsigned long long address;
    unsigned long long sizeBytes;
    unsigned int before;  ///< index of the digest to compare with; kNoDigest for none
    DigestOutcome outcome;
    unsigned long long unused;
};
static_assert(sizeof(DigestTask) == 32);

/// The kernel's side of it, in device memory. Zeroed once; each digest leaves it ready for the next.
struct DigestState {
    unsigned long long sum;     ///< of the warps that are through
    unsigned long long digest;  ///< whole; valid once the kernel has ended
    unsigned int warpsDone;
    unsigned int unused[3];
};
static_assert(sizeof(DigestState) == 32);

inline constexpr unsigned int kNoDigest = ~0u;
inline constexpr unsigned int kDigestThreads = 256;  ///< of a block

}  // namespace vramscope::device
