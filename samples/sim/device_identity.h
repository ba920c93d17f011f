// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace vramscope::sim {

inline constexpr char kDeviceName[] = "simulated device";
using DeviceUuid = std::array<unsigned char, 16>;

/// The same for every process and for NVML, so that they can be matched as on a real machine.
inline DeviceUuid deviceUuid(uint32_t device) {
    return {0x51, 0x3d, 0x00, 0x1a, 0x7e, 0x44, 0x4f, 0x09,
            0x8b, 0x6c, 0x2d, 0x90, 0xe1, 0x05, 0xaa, static_cast<unsigned char>(device)};
}

/// PCI bus number of a device.
inline uint32_t pciBusOf(uint32_t device) {
    return 0x10 + device;
}

}  // namespace vramscope::sim
