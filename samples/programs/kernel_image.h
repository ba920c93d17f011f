// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/programs/sample.h"

namespace vramscope::samples {

/// The kernels of kernels/sample_kernels.cu, loaded into the current context. The program carries an image
/// for GPUs (where it was built with nvcc) and one for the simulated device, and takes the one that fits the
/// device.
class Kernels {
public:
    Kernels();
    ~Kernels() { CU(cuModuleUnload(m_module)); }
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;

    CUfunction find(const char* name) const;

    /// Launches `name` with one thread an element.
    template <typename... Arguments>
    void run(const char* name, CUstream stream, int threads, Arguments... arguments) const {
        void* pointers[] = {&arguments...};
        launch(find(name), stream, threads, pointers);
    }

private:
    static void launch(CUfunction function, CUstream stream, int threads, void** arguments);

    CUmodule m_module = nullptr;
};

}  // namespace vramscope::samples
