// SPDX-License-Identifier: Apache-2.0
// A static object's 10 MB block, freed by its destructor after the device was reset. Right answer:
// teardown-order.
#include "samples/programs/runtime/check.h"

namespace {

class Constants {
public:
    ~Constants() {
        if (m_address != nullptr) RT_UNREAD(cudaFree(m_address));
    }
    void* address() {
        if (m_address == nullptr) m_address = allocate(10'000'000);
        return m_address;
    }

private:
    void* m_address = nullptr;
};

Constants g_constants;

}  // namespace

int main() {
    for (int step = 0; step < 10; ++step) {
        void* work = allocate(kMiB);
        RT(cudaMemcpy(work, g_constants.address(), kMiB, cudaMemcpyDeviceToDevice));
        RT(cudaFree(work));
    }
    RT(cudaDeviceReset());
    return 0;
}
