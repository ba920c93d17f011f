// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/dwarf_pointer.h"

namespace vramscope::unwind {
namespace {

constexpr uint8_t kFormatMask = 0x0f;
constexpr uint8_t kBaseMask = 0x70;
constexpr uint8_t kIndirect = 0x80;
constexpr uint8_t kBaseAbsolute = 0x00;
constexpr uint8_t kBasePc = 0x10;
constexpr uint8_t kBaseData = 0x30;
constexpr uint8_t kBaseAligned = 0x50;

template <typename Signed>
uint64_t widen(Signed value) noexcept {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
}

}  // namespace

bool readPointerNumber(ByteReader& reader, uint8_t encoding, uint64_t* value) noexcept {
    if ((encoding & kBaseMask) == kBaseAligned) return false;
    switch (encoding & kFormatMask) {
        case 0x0:
        case 0x4:
            *value = reader.read<uint64_t>();
            break;
        case 0x1:
            *value = reader.readUleb();
            break;
        case 0x2:
            *value = reader.read<uint16_t>();
            break;
        case 0x3:
            *value = reader.read<uint32_t>();
            break;
        case 0x9:
            *value = static_cast<uint64_t>(reader.readSleb());
            break;
        case 0xa:
            *value = widen(reader.read<int16_t>());
            break;
        case 0xb:
            *value = widen(reader.read<int32_t>());
            break;
        case 0xc:
            *value = reader.read<uint64_t>();
            break;
        default:
            return false;
    }
    return reader.ok();
}

bool readPointer(ByteReader& reader, uint8_t encoding, uint64_t dataBase, uint64_t* value) noexcept {
    if ((encoding & kIndirect) != 0) return false;
    uint64_t base = 0;
    switch (encoding & kBaseMask) {
        case kBaseAbsolute:
            break;
        case kBasePc:
            base = reinterpret_cast<uint64_t>(reader.position());
            break;
        case kBaseData:
            if (dataBase == 0) return false;
            base = dataBase;
            break;
        default:
            return false;
    }
    if (!readPointerNumber(reader, encoding, value)) return false;
    *value += base;
    return true;
}

}  // namespace vramscope::unwind
