// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "tests/sim/context_fixture.h"

/// A context with the test kernels loaded.
class KernelTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        ASSERT_EQ(cuModuleLoad(&m_module, modulePath().c_str()), CUDA_SUCCESS);
    }
    static std::string modulePath() {
        return std::string(std::getenv("LD_LIBRARY_PATH")) + "/sim_test_kernels.module";
    }

    CUfunction kernel(const char* name) {
        CUfunction function = nullptr;
        EXPECT_EQ(cuModuleGetFunction(&function, m_module, name), CUDA_SUCCESS);
        return function;
    }
    /// Appends tag * 1000 + value to a log on the device.
    void append(CUstream stream, CUdeviceptr log, CUdeviceptr length, char tag, short value) {
        double ignored = 1;
        void* arguments[] = {&log, &length, &tag, &ignored, &value};
        EXPECT_EQ(cuLaunchKernel(kernel("append"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr),
                  CUDA_SUCCESS);
    }

    CUmodule m_module = nullptr;
};
