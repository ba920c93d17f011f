// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/cupti/driver_link.h"

#include <cstring>
#include <dlfcn.h>

namespace vramscope::sim {
namespace {

const DriverTable* fetchTable() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return nullptr;
    using GetExportTable = CUresult (*)(const void**, const CUuuid*);
    const auto getExportTable = reinterpret_cast<GetExportTable>(dlsym(driver, "cuGetExportTable"));
    CUuuid id;
    std::memcpy(id.bytes, kDriverTableId, sizeof id.bytes);
    const void* table = nullptr;
    if (!getExportTable || getExportTable(&table, &id) != CUDA_SUCCESS) return nullptr;
    return static_cast<const DriverTable*>(table);
}

}  // namespace

const DriverTable* driverTable() {
    static const DriverTable* const table = fetchTable();
    return table;
}

}  // namespace vramscope::sim
