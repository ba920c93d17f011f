// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the exact engine's patch (exact_patch.cu) and the host's side of it (collector/inject/exact_*) share:
// the live memory of the process cut into pieces, and the marks that one launch leaves on them.

namespace vramscope::device {

using ExactAddress = unsigned long long;

/// Pages of the look-up table.
inline constexpr unsigned kExactPageBits = 21;

/// A page that live memory lies in. The table is a hash with linear probing; a place without pieces is free.
struct alignas(32) ExactPage {
    ExactAddress page;  ///< address >> kExactPageBits
    unsigned int
        firstPiece;  ///< pieces are sorted by address, and those that touch the page follow each other
    unsigned int pieceCount;
    ExactAddress begin;  ///< of the first piece, here to save a load: most pages have no other
    ExactAddress sizeBytes;
};

/// A part of one live buffer that has marks of its own. Shorter than 4 GiB.
struct alignas(16) ExactPiece {
    ExactAddress begin;
    ExactAddress sizeBytes;
};

/// What one launch did to one piece. Both bounds grow, so that they are kept with a maximum and 0 says
/// "never": `low` counts from the piece's end down to the lowest byte, `high` from its begin up to behind the
/// highest. Both bytes were touched; those between them may not have been.
struct alignas(16) ExactMarks {
    unsigned int readLow;
    unsigned int readHigh;
    unsigned int writeLow;
    unsigned int writeHigh;
};

/// Accesses of one launch outside all pieces. Kept the same way, from the address and its complement.
struct alignas(16) ExactOutside {
    ExactAddress lowComplement;
    ExactAddress high;
};

/// The patch's user data: one launch.
struct alignas(64) ExactLaunch {
    const ExactPage* pages;
    const ExactPiece* pieces;
    ExactMarks* marks;      ///< of piece i and stripe s at i * (stripeMask + 1) + s
    ExactOutside* outside;  ///< one for reads, one for writes
    unsigned int pageMask;  ///< places in `pages`, less one
    unsigned int stripeMask;
    ExactAddress unused[3];
};

/// Where the search for a page begins.
#ifdef __CUDACC__
__device__ __forceinline__
#else
inline
#endif
    unsigned int
    exactPlace(ExactAddress page, unsigned int mask) {
    return ((static_cast<unsigned int>(page) * 0x9E3779B1u) >> 7) & mask;
}

}  // namespace vramscope::device
