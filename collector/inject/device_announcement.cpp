// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/device_announcement.h"

#include <atomic>
#include <cstdio>

#include "collector/inject/clock.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector {

namespace {

constexpr std::int32_t kMaxDevices = 64;
std::atomic<bool> g_announced[kMaxDevices];

// The form that nvidia-smi and NVML print.
void formatUuid(const CUuuid& uuid, char (&text)[48]) {
    char* at = text + std::snprintf(text, sizeof(text), "GPU-");
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
        at += std::snprintf(at, 3, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    }
}

void noteDriverVersion() {
    int version = 0;
    if (g_driver.driverGetVersion != nullptr && g_driver.driverGetVersion(&version) == CUDA_SUCCESS) {
        g_collector.arena->driverVersion = static_cast<std::uint32_t>(version);
    }
}

}  // namespace

void announceDevice(ThreadState& thread, std::int32_t ordinal) {
    if (ordinal < 0 || ordinal >= kMaxDevices || !mayCallDriver() || g_driver.deviceGetUuid == nullptr)
        return;
    if (g_announced[ordinal].exchange(true, std::memory_order_relaxed)) return;
    noteDriverVersion();
    CUuuid uuid{};
    char uuidText[48] = "";
    char name[256] = "";
    std::size_t totalBytes = 0;
    if (g_driver.deviceGetUuid(&uuid, ordinal) != CUDA_SUCCESS) return;
    formatUuid(uuid, uuidText);
    if (g_driver.deviceGetName != nullptr) g_driver.deviceGetName(name, sizeof(name), ordinal);
    if (g_driver.deviceTotalMem != nullptr) g_driver.deviceTotalMem(&totalBytes, ordinal);

    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(thread, uuidText, name, textBytes);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::Device);
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->text.handle = static_cast<std::uint64_t>(ordinal);
    record->text.extra = totalBytes;
    record->text.textBytes = textBytes;
    publish(thread, record->header.slotCount);
}

}  // namespace vramscope::collector
