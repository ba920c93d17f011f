// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/symbols/file_descriptor.h"

namespace vramscope::symbols {

using Deadline = std::chrono::steady_clock::time_point;

/// One function at an address, as the debug information has it.
struct DwarfFrame {
    std::string function;    ///< mangled name where there is one; empty when nothing is known
    bool isMangled = false;  ///< `function` is a linkage name and so complete with its namespaces
    std::string file;        ///< source file; empty when not known
    std::uint32_t line = 0;  ///< 0 when not known
};

/// Looks addresses up in the DWARF sections of one file (versions 2 to 5; units split off into .dwo files
/// give nothing). What is unpacked is bounded: line tables that add up to more than 2 million rows are let go
/// and read again when needed. Not safe for two threads at once. The only user of libdw beside DeviceLines.
class DwarfLookup {
public:
    /// Reads which unit covers which addresses. Null when the file has no usable debug information. Past the
    /// deadline the units read so far are used. `file` must stay open while this lives.
    static std::unique_ptr<DwarfLookup> open(const FileDescriptor& file, Deadline deadline);
    ~DwarfLookup();

    /// The functions at `address`, innermost inlined one first, the real function last; empty when no unit
    /// covers it. Each has the place that is running in it: for all but the first, that is the call that was
    /// inlined.
    std::vector<DwarfFrame> find(std::uint64_t address, Deadline deadline);

private:
    struct State;
    explicit DwarfLookup(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace vramscope::symbols
