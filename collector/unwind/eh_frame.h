// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/unwind/byte_reader.h"
#include "collector/unwind/cfi_program.h"

namespace vramscope::unwind {

/// A module's exception-handling tables, both bounded by the end of the segment that they lie in (no header
/// in memory says how long .eh_frame is).
struct EhFrameTables {
    ByteRange header;        ///< from the first byte of .eh_frame_hdr to the end of its segment
    ByteRange frameSegment;  ///< the whole segment that holds .eh_frame; CIE pointers may not leave it
    uint64_t frameStart = 0;
};

/// Finds the FDE that covers `pc` and fills `program` from it and its CIE, except for the register numbers of
/// the architecture. Uses the sorted table of .eh_frame_hdr, or reads .eh_frame from its start where the
/// header has no table of the usual encoding. False when nothing covers `pc` or when what does is malformed
/// or in a form that is refused: 64-bit lengths, CIE versions other than 1 and 3, unknown augmentations
/// before the pointer encoding.
bool findFde(const EhFrameTables& tables, uint64_t pc, CfiProgram* program) noexcept;

/// Reads the address of .eh_frame out of an .eh_frame_hdr; false when the header is malformed.
bool readFrameStart(ByteRange header, uint64_t* frameStart) noexcept;

}  // namespace vramscope::unwind
