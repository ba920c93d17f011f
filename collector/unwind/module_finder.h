// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>

#include "collector/unwind/byte_reader.h"

namespace vramscope::unwind {

/// One loaded ELF object, as its program headers describe it. All pointers are into the process's own
/// mappings and the loader's list; they are valid while the object stays loaded.
struct ModuleRange {
    uint64_t start = 0;     ///< first mapped byte, page-aligned
    uint64_t end = 0;       ///< one past the last mapped byte
    uint64_t loadBias = 0;  ///< run-time address minus the address in the file
    const char* path = "";  ///< as the loader knows it; empty for the main program (read /proc/self/exe)
    ByteRange buildId;      ///< NT_GNU_BUILD_ID descriptor; empty if the object has none
    const Elf64_Phdr* programHeaders = nullptr;
    size_t programHeaderCount = 0;
};

/// Where an object lies, without a look into its memory.
struct ModulePlace {
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t ehFrameHeader = 0;  ///< address of .eh_frame_hdr, 0 if there is none

    bool operator==(const ModulePlace&) const = default;
};

/// Finds the place of the object that `address` lies in; false when it is in none. Unlike findModule it may
/// be asked about an object that another thread is unloading.
bool findModulePlace(uint64_t address, ModulePlace* place) noexcept;

/// Finds the object that `ip` lies in; false when it is in none (JIT code, a bad address). Cold path: with
/// glibc 2.35 or newer a lock-free lookup (`_dl_find_object`), else dl_iterate_phdr, which takes the loader's
/// lock. No allocation, callable from any thread. The caller must know that the object is not being unloaded
/// meanwhile; a return address on the calling thread's own stack implies that.
bool findModule(uint64_t ip, ModuleRange* module) noexcept;

/// The readable segment of `module` that holds `address`, as bytes that are in the file; empty if there is
/// none.
ByteRange readableSegment(const ModuleRange& module, uint64_t address) noexcept;

/// The run-time address of the module's .eh_frame_hdr (PT_GNU_EH_FRAME); empty if it has none or if the
/// header does not lie in a readable segment. The range reaches to the end of that segment.
ByteRange ehFrameHeader(const ModuleRange& module) noexcept;

namespace internal {

/// The two ways of finding, so that the one that this machine's glibc does not choose is tested as well.
bool findModuleByObject(uint64_t ip, ModuleRange* module) noexcept;
bool findModuleByIteration(uint64_t ip, ModuleRange* module) noexcept;
bool findPlaceByIteration(uint64_t address, ModulePlace* place) noexcept;

}  // namespace internal
}  // namespace vramscope::unwind
