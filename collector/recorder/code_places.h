// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collector/recorder/process_scope.h"
#include "collector/symbols/device_lines.h"

namespace vramscope::collector {

/// Where in the code of kernels accesses were made: rows of code_places of one process, under the exact
/// engine.
class CodePlaces {
public:
    explicit CodePlaces(ProcessScope& scope) : m_scope(scope) {}
    CodePlaces(const CodePlaces&) = delete;
    CodePlaces& operator=(const CodePlaces&) = delete;
    /// The images have served their purpose.
    ~CodePlaces();

    /// An ExactCode record.
    void addFunction(const ResolvedCall& call);
    /// The row of an instruction of which the low half of its program counter is known, run by a launch that
    /// was made by `ticks` with a kernel that begins at `kernelPc`; 0 when it is in no known function.
    std::int64_t placeOf(std::uint64_t kernelPc, std::uint32_t lowPc, std::uint64_t ticks);

private:
    struct Function {
        std::uint64_t sizeBytes;
        std::uint32_t image;  ///< number of the module's; 0 none
        std::string name;
    };
    using FunctionKey = std::pair<std::uint64_t, std::uint64_t>;  ///< where it begins, since when
    const std::map<FunctionKey, Function>::value_type* functionAt(std::uint64_t pc,
                                                                  std::uint64_t ticks) const;
    std::int64_t addPlace(const Function& function, std::uint64_t offset);
    const symbols::DeviceLines& linesOf(std::uint32_t image);
    std::vector<std::filesystem::path> filesOf(std::uint32_t image) const;

    /// A job has fewer.
    static constexpr std::size_t kMostFunctions = 500'000;
    static constexpr std::size_t kMostPlaces = 1'000'000;
    /// Images whose lines are kept at one time.
    static constexpr std::size_t kMostImages = 8;

    ProcessScope& m_scope;
    std::map<FunctionKey, Function> m_functions;
    std::map<std::pair<const Function*, std::uint64_t>, std::int64_t> m_places;  ///< by function and offset
    std::map<std::uint32_t, symbols::DeviceLines> m_lines;                       ///< by image
    std::uint32_t m_lastImage = 0;
};

}  // namespace vramscope::collector
