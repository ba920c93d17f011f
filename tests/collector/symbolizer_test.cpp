// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/symbolizer.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>

#include "tests/collector/shapes_library.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::symbols {
namespace {

namespace fs = std::filesystem;
using formats::TemporaryFolder;

const ModuleFile kShapes{VRAMSCOPE_SHAPES, "00112233445566778899aabbccddeeff00112244"};
constexpr const char* kTemplateName =
    "shapes::Box<std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > > "
    ">::visit(void (*)())";

ResolvedFrame resolve(const ModuleFile& module, const char* function, SymbolizerOptions options = {}) {
    return Symbolizer(std::move(options)).resolve(module, returnAddressIn(function));
}

/// A copy of a variant of the library under a name of its own.
std::string copyTo(const TemporaryFolder& folder, const char* name, const char* from) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path());
    fs::copy_file(from, path);
    return path;
}

TEST(Symbolizer, PlainFunction) {
    const ResolvedFrame frame = resolve(kShapes, "shapesPlain");
    EXPECT_EQ(frame.place, (SourcePlace{"shapesPlain", "/src/shapes/plain.cpp", 101}));
    EXPECT_TRUE(frame.inlined.empty());
}

TEST(Symbolizer, InlinedFunctionsInnermostFirst) {
    const ResolvedFrame frame = resolve(kShapes, "shapesInlined");
    EXPECT_EQ(frame.place, (SourcePlace{"shapesInlined", "/src/shapes/outer.cpp", 321}));
    ASSERT_EQ(frame.inlined.size(), 2U);
    EXPECT_EQ(frame.inlined[0], (SourcePlace{"shapes::innermost(void (*)())", "/src/shapes/inner.h", 300}));
    EXPECT_EQ(frame.inlined[1], (SourcePlace{"shapes::middle(void (*)())", "/src/shapes/middle.h", 310}));
}

TEST(Symbolizer, TemplateIsDemangled) {
    const ResolvedFrame frame = resolve(kShapes, "shapesTemplate");
    EXPECT_EQ(frame.place, (SourcePlace{kTemplateName, "/src/shapes/box.h", 200}));
}

TEST(Symbolizer, FunctionWithoutLinkageNameKeepsItsNamespace) {
    EXPECT_EQ(
        resolve(kShapes, "shapesHidden").place,
        (SourcePlace{"(anonymous namespace)::hiddenHelper(void (*)())", "/src/shapes/hidden.cpp", 500}));
}

TEST(Symbolizer, CallAtTheEndOfAFunctionBelongsToIt) {
    const std::uint64_t address = returnAddressIn("shapesAtEnd");
    Symbolizer symbolizer;
    EXPECT_EQ(symbolizer.resolve(kShapes, address).place,
              (SourcePlace{"shapesAtEnd", "/src/shapes/end.cpp", 601}));
    // The test is worth something only if the address itself is behind the function.
    EXPECT_NE(symbolizer.resolve(kShapes, address + 1).place.function, "shapesAtEnd");
}

TEST(Symbolizer, StrippedLibraryGivesExportedFunctionsOnly) {
    TemporaryFolder folder;
    const ModuleFile stripped{copyTo(folder, "libstripped.so", VRAMSCOPE_SHAPES_STRIPPED), kShapes.buildId};
    EXPECT_EQ(resolve(stripped, "shapesInlined").place, (SourcePlace{"shapesInlined", "", 0}));
    const ResolvedFrame hidden = resolve(stripped, "shapesHidden");
    EXPECT_TRUE(hidden.isEmpty());
    EXPECT_EQ(hidden.problem, ModuleProblem::None);
}

TEST(Symbolizer, DebugFileBesideIsFoundByLink) {
    for (const char* place : {"shapes.debug", ".debug/shapes.debug"}) {
        TemporaryFolder folder;
        const ModuleFile linked{copyTo(folder, "liblinked.so", VRAMSCOPE_SHAPES_LINKED), kShapes.buildId};
        EXPECT_EQ(resolve(linked, "shapesPlain").place.file, "");
        copyTo(folder, place, VRAMSCOPE_SHAPES_DEBUG);
        EXPECT_EQ(resolve(linked, "shapesHidden").place.line, 500U) << place;
    }
}

TEST(Symbolizer, DebugFileIsFoundByBuildId) {
    TemporaryFolder folder;
    const ModuleFile stripped{copyTo(folder, "libstripped.so", VRAMSCOPE_SHAPES_STRIPPED), kShapes.buildId};
    copyTo(folder, "debug/.build-id/00/112233445566778899aabbccddeeff00112244.debug", VRAMSCOPE_SHAPES_DEBUG);
    SymbolizerOptions options;
    options.debugFolders = {folder / "debug"};
    EXPECT_EQ(resolve(stripped, "shapesInlined", options).inlined.size(), 2U);
}

TEST(Symbolizer, DebugFileOfAnotherBuildIsRefused) {
    TemporaryFolder folder;
    const ModuleFile linked{copyTo(folder, "liblinked.so", VRAMSCOPE_SHAPES_LINKED), kShapes.buildId};
    copyTo(folder, "shapes.debug", VRAMSCOPE_SHAPES_OTHER);
    EXPECT_EQ(resolve(linked, "shapesPlain").place, (SourcePlace{"shapesPlain", "", 0}));
}

TEST(Symbolizer, ReplacedFileIsNotTrusted) {
    for (const char* id : {"ff112233445566778899aabbccddeeff00112244", ""}) {
        const ResolvedFrame frame = resolve({VRAMSCOPE_SHAPES, id}, "shapesPlain");
        EXPECT_TRUE(frame.isEmpty());
        EXPECT_EQ(frame.problem, ModuleProblem::OtherFile);
    }
}

TEST(Symbolizer, BuildIdInCapitalsIsTheSame) {
    EXPECT_FALSE(
        resolve({VRAMSCOPE_SHAPES, "00112233445566778899AABBCCDDEEFF00112244"}, "shapesPlain").isEmpty());
}

TEST(Symbolizer, DeletedMarkIsTakenOff) {
    EXPECT_EQ(
        resolve({std::string(VRAMSCOPE_SHAPES) + " (deleted)", kShapes.buildId}, "shapesPlain").place.line,
        101U);
}

TEST(Symbolizer, WhatIsNoFileIsSaidToBeNone) {
    for (const char* path : {"linux-vdso.so.1", "[vdso]", "", "/no/such/library.so", "/dev/zero", "/tmp"})
        EXPECT_EQ(resolve({path, ""}, "shapesPlain").problem, ModuleProblem::NoFile) << path;
    TemporaryFolder folder;
    std::ofstream(folder / "letter") << "no program";
    EXPECT_EQ(resolve({folder / "letter", ""}, "shapesPlain").problem, ModuleProblem::NotReadable);
}

TEST(Symbolizer, PipeDoesNotBlock) {
    TemporaryFolder folder;
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(resolve({pipe, ""}, "shapesPlain").problem, ModuleProblem::NoFile);
}

TEST(Symbolizer, PathsAreLookedUpInTheRoot) {
    TemporaryFolder folder;
    copyTo(folder, "usr/lib/libreal.so", VRAMSCOPE_SHAPES);
    // An absolute link means the container's folders, not ours.
    fs::create_symlink("/usr/lib/libreal.so", folder / "usr/lib/libinside.so");
    SymbolizerOptions options;
    options.root = folder.path();
    EXPECT_EQ(resolve({"/usr/lib/libinside.so", kShapes.buildId}, "shapesPlain", options).place.line, 101U);
    EXPECT_EQ(resolve({VRAMSCOPE_SHAPES, kShapes.buildId}, "shapesPlain", options).problem,
              ModuleProblem::NoFile);
}

TEST(Symbolizer, BudgetLeavesSymbols) {
    SymbolizerOptions options;
    options.moduleBudget = std::chrono::milliseconds(0);
    Symbolizer symbolizer(options);
    EXPECT_EQ(symbolizer.resolve(kShapes, returnAddressIn("shapesPlain")).place,
              (SourcePlace{"shapesPlain", "", 0}));
    EXPECT_TRUE(symbolizer.isOverBudget());
}

TEST(Symbolizer, CompressedDebugInformationIsUnpackedWithinBounds) {
    const ModuleFile compressed{VRAMSCOPE_SHAPES_COMPRESSED, kShapes.buildId};
    EXPECT_EQ(resolve(compressed, "shapesInlined").inlined.size(), 2U);
    SymbolizerOptions options;
    options.mostInflatedBytes = 1000;
    EXPECT_EQ(resolve(compressed, "shapesPlain", options).place, (SourcePlace{"shapesPlain", "", 0}));
    // What is not compressed costs no memory and is no matter of the bound.
    EXPECT_EQ(resolve(kShapes, "shapesPlain", options).place.line, 101U);
}

TEST(Symbolizer, ModulesAreReopenedAfterEviction) {
    TemporaryFolder folder;
    SymbolizerOptions options;
    options.mostOpenModules = 1;
    Symbolizer symbolizer(options);
    const ModuleFile other{copyTo(folder, "libother.so", VRAMSCOPE_SHAPES), kShapes.buildId};
    const std::uint64_t address = returnAddressIn("shapesPlain");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(symbolizer.resolve(kShapes, address).place.line, 101U);
        EXPECT_EQ(symbolizer.resolve(other, address).place.line, 101U);
    }
}

TEST(Symbolizer, AddressesOutsideGiveNothing) {
    Symbolizer symbolizer;
    for (const std::uint64_t address :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
        EXPECT_TRUE(symbolizer.resolve(kShapes, address).isEmpty()) << address;
}

}  // namespace
}  // namespace vramscope::symbols
