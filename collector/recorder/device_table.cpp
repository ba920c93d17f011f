// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/device_table.h"

namespace vramscope::collector {

std::string DeviceTable::bareUuid(const std::string& uuid) {
    const bool hasPrefix = uuid.starts_with("GPU-") || uuid.starts_with("MIG-");
    return hasPrefix ? uuid.substr(4) : uuid;
}

std::int64_t DeviceTable::idOf(const std::string& uuid, const std::string& name, std::uint64_t totalBytes) {
    const auto [found, isNew] = m_byUuid.try_emplace(bareUuid(uuid), 0);
    if (!isNew) return found->second;
    found->second = m_sink.nextId("devices");
    m_sink.run("INSERT INTO devices(device_id, uuid, name, total_bytes) VALUES(?, ?, ?, ?)", found->second,
               uuid, name, totalBytes);
    return found->second;
}

void DeviceTable::describe(std::int64_t deviceId, const std::string& uuid, const std::string& pciBusId,
                           const std::string& driverVersion) {
    m_sink.run("UPDATE devices SET uuid = ?, pci_bus_id = ?, driver_version = ? WHERE device_id = ?", uuid,
               pciBusId, driverVersion, deviceId);
}

}  // namespace vramscope::collector
