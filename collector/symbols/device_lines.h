// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vramscope::symbols {

/// A line of a kernel's source.
struct DeviceLine {
    std::string file;
    std::uint32_t line = 0;
};

/// The source lines of a module's machine code, read from its ELF image (compiled with -lineinfo or -G) by
/// libdw. What is read is bounded: an image over 64 MiB, or more than two million lines, give nothing.
class DeviceLines {
public:
    /// Reads them all; without lines when the file has none or cannot be read.
    static DeviceLines read(const std::filesystem::path& image);

    bool isEmpty() const { return m_rows.empty(); }
    /// The line of the instruction `offset` bytes into `function`, mangled as the image has it: of code that
    /// was inlined the line in the inlined function.
    std::optional<DeviceLine> find(const std::string& function, std::uint64_t offset) const;

private:
    struct Row {
        std::uint64_t address = 0;
        std::uint32_t line = 0;
        std::uint32_t file = 0;  ///< index into m_files
        bool endsSequence = false;
    };
    struct Reader;

    std::vector<Row> m_rows;  ///< by address, of one address in the order of the image
    std::vector<std::string> m_files;
    std::map<std::string, std::uint64_t> m_functions;  ///< where they begin
};

}  // namespace vramscope::symbols
