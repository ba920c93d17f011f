// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

#include "collector/unwind/module_finder.h"
#include "tests/collector/unwind_compare.h"
#include "tests/collector/unwind_libs/calls.h"

namespace vramscope::unwind {
namespace {

using Call = void (*)(UnwindTestCallback, void*);

uint64_t addressOf(void (*function)(UnwindTestCallback, void*, int)) {
    return reinterpret_cast<uint64_t>(function);
}

std::string hexOf(ByteRange bytes) {
    std::string text;
    for (const uint8_t* byte = bytes.begin; byte != bytes.end; ++byte) {
        const char* digits = "0123456789abcdef";
        text += digits[*byte >> 4];
        text += digits[*byte & 15];
    }
    return text;
}

TEST(FindModule, KnowsLibraryPathBoundsAndBuildId) {
    const uint64_t ip = addressOf(unwindTestNoFramePointer);
    ModuleRange module;
    ASSERT_TRUE(findModule(ip, &module));
    EXPECT_LE(module.start, ip);
    EXPECT_GT(module.end, ip);
    EXPECT_NE(std::strstr(module.path, "unwind_test_no_frame_pointer"), nullptr) << module.path;
    EXPECT_EQ(hexOf(module.buildId), "00112233445566778899aabbccddeeff00112233");  // as linked
    EXPECT_FALSE(ehFrameHeader(module).empty());
}

TEST(FindModule, MainProgramHasNoPath) {
    ModuleRange module;
    ASSERT_TRUE(findModule(reinterpret_cast<uint64_t>(&takeBothInto), &module));
    EXPECT_STREQ(module.path, "");
}

TEST(FindModule, RefusesAddressesOutsideModules) {
    ModuleRange module;
    int local = 0;
    EXPECT_FALSE(findModule(0, &module));
    EXPECT_FALSE(findModule(UINT64_MAX, &module));
    EXPECT_FALSE(findModule(reinterpret_cast<uint64_t>(&local), &module));
}

TEST(FindModule, BothWaysAgree) {
    for (const uint64_t ip : {addressOf(unwindTestNoFramePointer), reinterpret_cast<uint64_t>(&qsort),
                              reinterpret_cast<uint64_t>(&takeBothInto)}) {
        ModuleRange byObject;
        ModuleRange byIteration;
        ASSERT_TRUE(internal::findModuleByObject(ip, &byObject));
        ASSERT_TRUE(internal::findModuleByIteration(ip, &byIteration));
        EXPECT_EQ(byObject.start, byIteration.start);
        EXPECT_EQ(byObject.loadBias, byIteration.loadBias);
        EXPECT_STREQ(byObject.path, byIteration.path);
        EXPECT_EQ(byObject.programHeaderCount, byIteration.programHeaderCount);
        ModulePlace place;
        ModulePlace placeByIteration;
        ASSERT_TRUE(findModulePlace(ip, &place));
        ASSERT_TRUE(internal::findPlaceByIteration(ip, &placeByIteration));
        EXPECT_EQ(place.start, placeByIteration.start);
        EXPECT_EQ(place.ehFrameHeader, placeByIteration.ehFrameHeader);
    }
}

struct Library {
    explicit Library(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
    ~Library() {
        if (handle != nullptr) dlclose(handle);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    Call find(const char* name) const { return reinterpret_cast<Call>(dlsym(handle, name)); }

    void* handle;
};

/// Walks through the first library, unloads it, and loads the second at the same addresses. False if the
/// kernel placed it elsewhere.
bool walkThenReplace(const char* first, const char* second, Library** replacement) {
    Call before = nullptr;
    {
        Library library(first);
        before = library.find("unwindTestReload");
        if (before == nullptr) return false;
        Comparison both;
        before(takeBothInto, &both);
        EXPECT_EQ(both.ours, both.expected);
    }
    *replacement = new Library(second);
    return (*replacement)->find("unwindTestReload") == before;
}

class UnwindReload : public testing::Test {
protected:
    void SetUp() override {
        Unwinder::processWide().dropRules();
        ASSERT_TRUE(walkThenReplace(VRAMSCOPE_RELOAD_SMALL, VRAMSCOPE_RELOAD_LARGE, &m_library))
            << "the second library was not loaded at the first one's addresses";
    }
    void TearDown() override { delete m_library; }

    Library* m_library = nullptr;
};

TEST_F(UnwindReload, NewModuleAtOldAddressesIsNoticed) {
    // Its own frame coincides with the old library's and has a stale rule; the frame above it is new and
    // betrays it.
    Comparison both;
    m_library->find("unwindTestReloadNested")(takeBothInto, &both);
    EXPECT_EQ(both.ours, both.expected);
    EXPECT_EQ(both.result.end, UnwindEnd::Complete);
}

TEST_F(UnwindReload, StaleRuleIsHarmlessAndDropped) {
    // All of the new module's return addresses coincide with old ones: the documented remaining hazard.
    Comparison both;
    m_library->find("unwindTestReload")(takeBothInto, &both);
    EXPECT_GE(both.ours.size(), 2u);
    Unwinder::processWide().dropRules();
    m_library->find("unwindTestReload")(takeBothInto, &both);
    EXPECT_EQ(both.ours, both.expected);
    EXPECT_EQ(both.result.end, UnwindEnd::Complete);
}

}  // namespace
}  // namespace vramscope::unwind
