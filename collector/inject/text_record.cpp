// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/text_record.h"

#include <cstring>

namespace vramscope::collector {

namespace {

constexpr std::size_t kMaxTextBytes = (formats::kMaxRecordSlots - 1) * formats::kSlotBytes;

std::size_t boundedLength(const char* text, std::size_t limit) {
    const std::size_t length = ::strnlen(text, limit + 1);
    if (length <= limit) return length;
    countDrop(formats::DropReason::TextTooLong);
    return limit;
}

}  // namespace

formats::Record* reserveText(ThreadState& thread, const char* first, const char* second,
                             std::uint32_t& textBytes) {
    const std::size_t firstBytes = boundedLength(first, kMaxTextBytes - 1);
    std::size_t total = firstBytes;
    if (second != nullptr) total += 1 + boundedLength(second, kMaxTextBytes - firstBytes - 1);

    const auto slots =
        static_cast<std::uint32_t>(1 + (total + formats::kSlotBytes - 1) / formats::kSlotBytes);
    formats::Record* record = reserve(thread, slots);
    if (record == nullptr) return nullptr;
    char* text = reinterpret_cast<char*>(record + 1);
    std::memcpy(text, first, firstBytes);
    if (second != nullptr) {
        text[firstBytes] = '\n';
        std::memcpy(text + firstBytes + 1, second, total - firstBytes - 1);
    }
    record->header.slotCount = static_cast<std::uint8_t>(slots);
    textBytes = static_cast<std::uint32_t>(total);
    return record;
}

}  // namespace vramscope::collector
