// SPDX-License-Identifier: Apache-2.0
// Source lines of a GPU's machine code: of images as nvcc makes them, and of damaged ones.
#include "collector/symbols/device_lines.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <unistd.h>

#include "collector/inject/device_code.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;
using symbols::DeviceLines;

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class DeviceLinesTest : public testing::Test {
protected:
    DeviceLinesTest() : m_file(fs::temp_directory_path() / ("device-lines-" + std::to_string(::getpid()))) {}
    ~DeviceLinesTest() override { fs::remove(m_file); }

    void write(const std::string& bytes) const { std::ofstream(m_file, std::ios::binary) << bytes; }

    /// Of the source of the images: where this text is.
    static std::uint32_t lineOf(const std::string& text) {
        std::ifstream source(VRAMSCOPE_DEVICE_SOURCE);
        std::uint32_t number = 1;
        for (std::string line; std::getline(source, line); ++number) {
            if (line.find(text) != std::string::npos) return number;
        }
        return 0;
    }
    /// The lines of the first `bytes` of a function.
    static std::set<std::uint32_t> linesIn(const DeviceLines& lines, const std::string& function,
                                           std::uint64_t bytes) {
        std::set<std::uint32_t> all;
        for (std::uint64_t offset = 0; offset < bytes; offset += 16) {
            const auto line = lines.find(function, offset);
            if (!line) continue;
            EXPECT_EQ(fs::path(line->file).filename(), "device_lines.cu");
            all.insert(line->line);
        }
        return all;
    }

    fs::path m_file;
};

TEST_F(DeviceLinesTest, EachFunctionHasItsOwn) {
    const DeviceLines lines = DeviceLines::read(VRAMSCOPE_DEVICE_LINES);
    const auto first = linesIn(lines, "first", 4096);
    const auto second = linesIn(lines, "second", 4096);
    EXPECT_TRUE(first.contains(lineOf("// inlined")));
    EXPECT_FALSE(first.contains(lineOf("// direct")));
    EXPECT_TRUE(second.contains(lineOf("// direct")));
    EXPECT_FALSE(second.contains(lineOf("// inlined")));
    EXPECT_FALSE(lines.find("first", 1 << 20)) << "behind its end";
    EXPECT_FALSE(lines.find("third", 0));
}

TEST_F(DeviceLinesTest, DebugBuildsHaveThemToo) {
    const DeviceLines lines = DeviceLines::read(VRAMSCOPE_DEVICE_DEBUG);
    EXPECT_TRUE(linesIn(lines, "second", 8192).contains(lineOf("// direct")));
    EXPECT_TRUE(linesIn(lines, "_Z6putFarPfi", 8192).contains(lineOf("// called")));
    EXPECT_FALSE(linesIn(lines, "_Z6putFarPfi", 8192).contains(lineOf("// direct")));
}

TEST_F(DeviceLinesTest, AnImageWithoutLinesHasNone) {
    EXPECT_TRUE(DeviceLines::read(VRAMSCOPE_DEVICE_PLAIN).isEmpty());
    EXPECT_TRUE(DeviceLines::read("/nowhere").isEmpty());
}

TEST_F(DeviceLinesTest, TheCollectorSeesWhichImagesKnowLines) {
    const auto namesIn = [](const std::string& bytes) {
        std::set<std::string> names;
        const collector::DeviceCode code(bytes.data(), bytes.size());
        code.forEachFunction(100, [&](const char* name) { names.insert(name); });
        return names;
    };
    const std::string lines = contentOf(VRAMSCOPE_DEVICE_LINES);
    const std::string plain = contentOf(VRAMSCOPE_DEVICE_PLAIN);
    EXPECT_TRUE(collector::DeviceCode(lines.data(), lines.size()).hasLines());
    EXPECT_FALSE(collector::DeviceCode(plain.data(), plain.size()).hasLines());
    EXPECT_TRUE(namesIn(lines).contains("first") && namesIn(lines).contains("second"));
}

// Whatever a job puts into its module is read, so all of it may be wrong.
TEST_F(DeviceLinesTest, DamageIsSurvived) {
    const std::string whole = contentOf(VRAMSCOPE_DEVICE_DEBUG);
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        std::string bytes = whole;
        if (round % 4 == 0) bytes.resize(random() % bytes.size());
        for (int i = 0; i < 8 && !bytes.empty(); ++i) {
            // Headers more often than code.
            const std::size_t range =
                random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 64) : bytes.size();
            bytes[range == 64 ? random() % 64 : random() % range] = static_cast<char>(random());
        }
        write(bytes);
        static_cast<void>(DeviceLines::read(m_file).find("second", 64));
        const collector::DeviceCode code(bytes.data(), bytes.size());
        std::size_t letters = 0;
        code.forEachFunction(100, [&](const char* name) { letters += std::string_view(name).size(); });
        EXPECT_LE(letters, 100 * bytes.size());
    }
}

}  // namespace
}  // namespace vramscope::tests
