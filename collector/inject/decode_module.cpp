// SPDX-License-Identifier: Apache-2.0

// Calls that load device code: they say where it came from. What they load shows itself as resource events
// (context_events.cpp), which also come when the driver loads code only as a kernel of it is first needed.

#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector {

namespace {

/// `path` may be null; `module` is the job's pointer to the handle.
template <typename Handle>
void writeSource(Call& call, Handle* module, const void* image, const char* path) {
    if (!call.succeeded()) return;
    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(call.thread, path != nullptr ? path : "", nullptr, textBytes);
    if (record == nullptr) return;
    record->header =
        headerOf(call, formats::RecordType::GpuModule,
                 static_cast<std::uint8_t>(formats::GpuModuleEvent::Source), record->header.slotCount);
    record->module = {outputOf(call, module), reinterpret_cast<std::uint64_t>(image), 0, textBytes, 0};
    endRecord(call, record);
}

void decodeModuleFile(Call& call) {
    const auto& p = call.parameters<cuModuleLoad_params>();
    writeSource(call, p.module, nullptr, p.fname);
}
// The other forms that take an image begin with the same two parameters.
void decodeModuleImage(Call& call) {
    const auto& p = call.parameters<cuModuleLoadData_params>();
    writeSource(call, p.module, p.image, nullptr);
}
void decodeLibraryFile(Call& call) {
    const auto& p = call.parameters<cuLibraryLoadFromFile_params>();
    writeSource(call, p.library, nullptr, p.fileName);
}
void decodeLibraryImage(Call& call) {
    const auto& p = call.parameters<cuLibraryLoadData_params>();
    writeSource(call, p.library, p.code, nullptr);
}

}  // namespace

void registerModuleCalls() {
    addCalls({VRAMSCOPE_ID(cuModuleLoad)}, {.decode = decodeModuleFile});
    addCalls({VRAMSCOPE_ID(cuModuleLoadData), VRAMSCOPE_ID(cuModuleLoadDataEx),
              VRAMSCOPE_ID(cuModuleLoadFatBinary)},
             {.decode = decodeModuleImage});
    addCalls({VRAMSCOPE_ID(cuLibraryLoadFromFile)}, {.decode = decodeLibraryFile});
    addCalls({VRAMSCOPE_ID(cuLibraryLoadData)}, {.decode = decodeLibraryImage});
}

}  // namespace vramscope::collector
