// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the exact engine's patch (exact_patch.cu) and the host's side of it (collector/inject/exact_*) share:
// the live memory of the process cut into pieces, and the marks that one launch leaves on them.

namespace vramscope::device {

using ExactAddress = unsigned long long;

/// Pages of the look-up table.
inline constexpr unsigned kExactPageBits = 21;

/// A page that live memory lies in. The table is a hash with linear probing; a place without pieces is free.
struct alignas(16) ExactPage {
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
/// Of writes a bound is kept a second time, as the high half of a word whose low half is the low half of the
/// program counter that set it, so that one maximum keeps the two together. Those are what counts; the plain
/// ones are what each access is compared with.
struct alignas(16) ExactMarks {
    unsigned int readLow;
    unsigned int readHigh;
    unsigned int writeLow;
    unsigned int writeHigh;
    ExactAddress writeLowPlace;
    ExactAddress writeHighPlace;
};

/// Accesses of one launch outside all pieces. Kept the same way, from the address and its complement.
struct alignas(8) ExactOutside {
    ExactAddress lowComplement;
    ExactAddress high;
    ExactAddress pc;  ///< of one of them, with a bit above its low half set; 0 while there is none
};

/// In ExactOutside::pc.
inline constexpr ExactAddress kExactPcKnown = ExactAddress{1} << 32;

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
