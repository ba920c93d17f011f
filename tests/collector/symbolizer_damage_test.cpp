// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

#include "collector/symbols/symbolizer.h"
#include "tests/collector/shapes_library.h"
#include "tests/formats/temporary_folder.h"

// Files that are cut or have wrong bytes in them give no names or wrong ones, but never a crash or an endless
// loop.
namespace vramscope::symbols {
namespace {

constexpr const char* kBuildId = "00112233445566778899aabbccddeeff00112244";
constexpr const char* kFunctions[] = {"shapesPlain", "shapesInlined", "shapesTemplate", "shapesHidden"};

std::string contentOf(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class SymbolizerDamage : public testing::Test {
protected:
    /// Writes the bytes and asks for everything; returns how many frames got a name.
    int resolveAll(const std::string& bytes) {
        const std::string path = m_folder / "damaged.so";
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        SymbolizerOptions options;
        options.moduleBudget = std::chrono::milliseconds(200);
        Symbolizer symbolizer(options);
        int named = 0;
        for (const char* function : kFunctions)
            named += symbolizer.resolve({path, kBuildId}, returnAddressIn(function)).place.function.empty()
                         ? 0
                         : 1;
        return named;
    }

    formats::TemporaryFolder m_folder;
    const std::string m_whole = contentOf(VRAMSCOPE_SHAPES);
};

TEST_F(SymbolizerDamage, WholeFileIsFine) {
    EXPECT_EQ(resolveAll(m_whole), 4);
}

TEST_F(SymbolizerDamage, CutAnywhere) {
    for (std::size_t bytes = 0; bytes < m_whole.size();
         bytes += std::max<std::size_t>(1, m_whole.size() / 300))
        // The section headers are at the end: what is cut has no names.
        EXPECT_EQ(resolveAll(m_whole.substr(0, bytes)), 0) << bytes;
}

TEST_F(SymbolizerDamage, WrongBytesAnywhere) {
    std::mt19937_64 random(20240817);
    for (int round = 0; round < 400; ++round) {
        std::string bytes = m_whole;
        const int changes = 1 << (round % 9);
        for (int i = 0; i < changes; ++i)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        EXPECT_LE(resolveAll(bytes), 4);
    }
}

TEST_F(SymbolizerDamage, WrongBytesInHeadersAndDebugInformation) {
    std::mt19937_64 random(7);
    // Section headers end the file; the debug sections are most of its second half.
    const std::size_t headers = m_whole.size() - 3000;
    const std::size_t debug = m_whole.size() / 2;
    for (int round = 0; round < 600; ++round) {
        std::string bytes = m_whole;
        const std::size_t from = round % 3 == 0 ? 0 : round % 3 == 1 ? headers : debug;
        const std::size_t span = round % 3 == 0 ? 64 : bytes.size() - from;
        for (int i = 0; i < 1 + round % 4; ++i) {
            static constexpr unsigned char kNasty[] = {0, 1, 0x7F, 0x80, 0xFF};
            bytes[from + random() % span] = static_cast<char>(kNasty[random() % std::size(kNasty)]);
        }
        EXPECT_LE(resolveAll(bytes), 4);
    }
}

}  // namespace
}  // namespace vramscope::symbols
