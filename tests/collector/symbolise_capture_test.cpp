// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/symbolise_capture.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/schema.h"
#include "tests/collector/shapes_library.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::symbols {
namespace {

constexpr const char* kCaptureBuildId = "00112233445566778899aabbccddeeff00112244";

class SymboliseCapture : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(formats::createSchema(m_capture).isOk());
        addModule(1, VRAMSCOPE_SHAPES, kCaptureBuildId);
        addModule(2, VRAMSCOPE_SHAPES, "ff");
    }
    void addModule(int id, const char* path, const char* buildId) {
        auto insert = m_capture.prepare("INSERT INTO modules VALUES (?1, 1, ?2, ?3, 0, 0, 0)");
        ASSERT_TRUE(insert->runWith(id, path, buildId).isOk());
    }
    void addFrame(int id, int module, std::uint64_t offset) {
        auto insert = m_capture.prepare(
            "INSERT INTO frames (frame_id, process_id, address, module_id, module_offset) VALUES (?1, 1, 0, "
            "?2, ?3)");
        ASSERT_TRUE(insert->runWith(id, module, offset).isOk());
    }
    std::string text(const std::string& sql) { return m_capture.queryText(sql)->value_or("NULL"); }

    formats::Connection m_capture = std::move(*formats::Connection::openInMemory());
};

TEST_F(SymboliseCapture, FillsWhatIsKnown) {
    addFrame(1, 1, returnAddressIn("shapesInlined"));
    addFrame(2, 1, 5);
    addFrame(3, 2, returnAddressIn("shapesInlined"));
    addFrame(4, 1, returnAddressIn("shapesInlined"));
    ASSERT_TRUE(
        m_capture.exec("INSERT INTO frames VALUES (5, 1, 0, NULL, NULL, NULL, NULL, NULL, NULL)").isOk());
    SymboliseProgress last;
    const auto summary = symboliseCapture(m_capture, {}, [&](const SymboliseProgress& progress) {
        last = progress;
        return true;
    });
    ASSERT_TRUE(summary.isOk()) << summary.status().message();
    EXPECT_EQ(summary->frames, 4U);
    EXPECT_EQ(summary->withFunction, 2U);
    EXPECT_EQ(summary->withLine, 2U);
    EXPECT_EQ(summary->replacedFiles, std::vector<std::string>{VRAMSCOPE_SHAPES});
    EXPECT_EQ(last.doneFrames, 4U);
    EXPECT_EQ(last.totalFrames, 4U);
    EXPECT_EQ(text("SELECT group_concat(frame_id) FROM frames WHERE function IS NOT NULL"), "1,4");
    EXPECT_EQ(text("SELECT function || file || line FROM frames WHERE frame_id = 4"),
              "shapesInlined/src/shapes/outer.cpp321");
    const auto inlined = nlohmann::json::parse(text("SELECT inlined FROM frames WHERE frame_id = 1"));
    ASSERT_EQ(inlined.size(), 2U);
    EXPECT_EQ(inlined[0], (nlohmann::json{{"function", "shapes::innermost(void (*)())"},
                                          {"file", "/src/shapes/inner.h"},
                                          {"line", 300}}));
    EXPECT_EQ(inlined[1]["function"], "shapes::middle(void (*)())");
}

TEST_F(SymboliseCapture, FunctionsThatAreThereAreKept) {
    addFrame(1, 1, returnAddressIn("shapesPlain"));
    ASSERT_TRUE(m_capture.exec("UPDATE frames SET function = 'known'").isOk());
    const auto summary = symboliseCapture(m_capture, {}, {});
    ASSERT_TRUE(summary.isOk());
    EXPECT_EQ(summary->frames, 0U);
    EXPECT_EQ(text("SELECT function FROM frames"), "known");
}

TEST_F(SymboliseCapture, ManyFramesInRowOrderAndAgain) {
    const std::uint64_t plain = returnAddressIn("shapesPlain");
    for (int id = 1; id <= 5000; ++id)
        addFrame(id, 1, id % 2 == 0 ? plain : plain - 1);
    ASSERT_TRUE(symboliseCapture(m_capture, {}, {}).isOk());
    EXPECT_EQ(text("SELECT count(*) FROM frames WHERE function = 'shapesPlain'"), "5000");
    const auto again = symboliseCapture(m_capture, {}, {});
    ASSERT_TRUE(again.isOk());
    EXPECT_EQ(again->frames, 0U);
}

TEST_F(SymboliseCapture, FilesOfAProcessInAContainerAreItsOwn) {
    formats::TemporaryFolder root;
    std::filesystem::create_directories(root / "app");
    std::filesystem::copy_file(VRAMSCOPE_SHAPES, root / "app/libshapes.so");
    ASSERT_TRUE(m_capture
                    .exec("INSERT INTO modules VALUES (3, 9, '/app/libshapes.so', '" +
                          std::string(kCaptureBuildId) + "', 0, 0, 0)")
                    .isOk());
    addFrame(1, 3, returnAddressIn("shapesPlain"));
    ASSERT_TRUE(symboliseCapture(m_capture, {}, {}).isOk());
    EXPECT_EQ(text("SELECT function FROM frames"), "NULL") << "our own root has no such file";
    ASSERT_TRUE(symboliseCapture(m_capture, {}, {}, {{8, "/nowhere"}, {9, root.path()}}).isOk());
    EXPECT_EQ(text("SELECT function FROM frames"), "shapesPlain");
}

TEST(SymboliseNotes, SayWhatIsMissingAndNothingElse) {
    EXPECT_TRUE(notesOf({}).empty());
    SymboliseSummary summary;
    summary.replacedFiles = {"/opt/liba.so"};
    summary.isOverBudget = true;
    const auto notes = notesOf(summary);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_STREQ(notes[0].code, "program-files-replaced");
    EXPECT_EQ(notes[0].message,
              "One program file was replaced on disk since the job loaded it, so its functions have no "
              "names: /opt/liba.so.");
    EXPECT_STREQ(notes[1].code, "symbols-over-budget");
    summary.replacedFiles.assign(8, "/opt/liba.so");
    EXPECT_NE(notesOf(summary)[0].message.find("8 program files"), std::string::npos);
    EXPECT_NE(notesOf(summary)[0].message.find("and 3 more."), std::string::npos);
}

}  // namespace
}  // namespace vramscope::symbols
