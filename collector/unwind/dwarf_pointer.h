// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/unwind/byte_reader.h"

namespace vramscope::unwind {

/// The encoding byte that says "no value here".
constexpr uint8_t kPointerOmitted = 0xff;

/// Reads a pointer in one of the DW_EH_PE encodings of the Linux Standard Base (chapter "DWARF Extensions").
/// `dataBase` is what data-relative values are relative to (the address of .eh_frame_hdr), 0 if there is
/// none. False for text-relative, function-relative, aligned and indirect pointers and for bytes that run
/// out: no x86-64 or aarch64 linker writes those where we read.
bool readPointer(ByteReader& reader, uint8_t encoding, uint64_t dataBase, uint64_t* value) noexcept;

/// Reads the number alone, without adding a base: the length of an FDE, or a pointer to be skipped.
bool readPointerNumber(ByteReader& reader, uint8_t encoding, uint64_t* value) noexcept;

}  // namespace vramscope::unwind
