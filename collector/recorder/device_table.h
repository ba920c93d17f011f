// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "collector/recorder/capture_sink.h"

namespace vramscope::collector {

/// The devices of the capture, one for each UUID, whoever sees it first: a process of the job or NVML.
class DeviceTable {
public:
    explicit DeviceTable(CaptureSink& sink) : m_sink(sink) {}

    /// The device's id; a row is made when it is new. `uuid` may have NVML's form ("GPU-...", "MIG-...") or
    /// none of the prefix. What is known later (name, PCI address, driver) fills gaps.
    std::int64_t idOf(const std::string& uuid, const std::string& name, std::uint64_t totalBytes);

    /// Adds what only NVML knows.
    void describe(std::int64_t deviceId, const std::string& uuid, const std::string& pciBusId,
                  const std::string& driverVersion);

    /// Takes over a row of an interrupted recording.
    void restore(std::int64_t deviceId, const std::string& uuid) { m_byUuid[bareUuid(uuid)] = deviceId; }

private:
    static std::string bareUuid(const std::string& uuid);

    CaptureSink& m_sink;
    std::map<std::string, std::int64_t> m_byUuid;
};

}  // namespace vramscope::collector
