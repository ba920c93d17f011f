// SPDX-License-Identifier: Apache-2.0
// A static object allocates a constant 10 MB block once and frees it in its destructor, which runs after
// main() has destroyed the context: the driver refuses, and nothing is lost. Right answer: no problem; told
// as teardown-order.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

class Constants {
public:
    ~Constants() {
        if (m_address != 0) CU_UNREAD(cuMemFree(m_address));
    }
    CUdeviceptr address() {
        if (m_address == 0) m_address = allocate(kSizeBytes);
        return m_address;
    }

    static constexpr std::size_t kSizeBytes = 10'000'000;

private:
    CUdeviceptr m_address = 0;
};

Constants g_constants;

}  // namespace

int main() {
    Context context;
    CU(cuMemsetD8(g_constants.address(), 1, Constants::kSizeBytes));
    for (int step = 0; step < 10; ++step) {
        const CUdeviceptr work = allocate(kMiB);
        CU(cuMemcpyDtoD(work, g_constants.address(), kMiB));
        CU(cuMemFree(work));
    }
    context.release();
    return 0;
}
