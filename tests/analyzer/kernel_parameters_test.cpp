// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kernel_parameters.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace vramscope::model {
namespace {

/// Offsets of the parameters that are pointers to const, of the first 64 bytes.
std::vector<int> constPointers(const std::string& name) {
    const KernelParameters parameters(name);
    std::vector<int> offsets;
    for (int offset = 0; offset < 64; ++offset) {
        if (parameters.isPointerToConst(offset)) offsets.push_back(offset);
    }
    return offsets;
}

using Offsets = std::vector<int>;

// The names are what g++ and nvcc make of the signatures beside them.
TEST(KernelParameters, OfPlainFunctions) {
    EXPECT_EQ(constPointers("_Z5plainPKfS0_PfiPKd"), (Offsets{0, 8, 32}));  // (const float*, const float*,
                                                                            // float*, int, const double*)
    EXPECT_EQ(constPointers("_Z4fillPffi"), Offsets{});                     // (float*, float, int)
    EXPECT_EQ(constPointers("_ZL6staticPKv"), Offsets{0});                  // static (const void*)
    EXPECT_EQ(constPointers("_Z5bytescPKc"), Offsets{8});                   // (char, const char*)
}

TEST(KernelParameters, OfTemplates) {
    // template <T> tmpl(T*, const T*, int, const T*) with float
    EXPECT_EQ(constPointers("_Z4tmplIfEvPT_PKS0_iS3_"), (Offsets{8, 24}));
    // at::native::k<double, 3>(const T*, const T*, T*, long)
    EXPECT_EQ(constPointers("_ZN2at6native1kIdLi3EEEvPKT_S4_PS2_l"), (Offsets{0, 8}));
}

TEST(KernelParameters, BehindAStructureNothingIsKnown) {
    // at::native::st(const float*, at::native::S, const float*)
    EXPECT_EQ(constPointers("_ZN2at6native2stEPKfNS0_1SES2_"), Offsets{0});
}

TEST(KernelParameters, APointerToAPointerIsNotRead) {
    EXPECT_EQ(constPointers("_Z1fPPKf"), Offsets{});   // (const float**): what it points to can be changed
    EXPECT_EQ(constPointers("_Z1fPKPf"), Offsets{0});  // (float* const*)
}

TEST(KernelParameters, NamesThatTellNothing) {
    for (const char* name : {"", "fill", "_Z", "_ZN", "_Z5pl", "_Z1fS9_", "_Z1fI", "_Z99999999999999999999f"})
        EXPECT_EQ(constPointers(name), Offsets{}) << name;
}

TEST(KernelParameters, AHostileNameEnds) {
    EXPECT_EQ(constPointers("_Z1f" + std::string(4000, 'P')), Offsets{});
    EXPECT_EQ(constPointers("_Z1f" + std::string(4000, 'N')), Offsets{});
    EXPECT_EQ(constPointers("_Z1f1a" + std::string(3000, 'I')), Offsets{});
    EXPECT_EQ(constPointers("_Z1fPKf" + std::string(1 << 20, 'f')), Offsets{}) << "too long to be looked at";
}

}  // namespace
}  // namespace vramscope::model
