// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/gui/gui_environment.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const vramscope::tests::GuiEnvironment environment(argc, argv);
    return RUN_ALL_TESTS();
}
