// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "formats/record.h"

namespace vramscope::collector {

/// The moment at which a record takes effect, by which records of different threads are ordered: what comes
/// to life does so when its call returns; what ends, and what refers to memory, counts from the call's entry.
/// Definitions (names, modules, which launch is marked) take effect at once: 0.
inline std::uint64_t effectiveTime(const formats::RecordHeader& header) {
    switch (static_cast<formats::RecordType>(header.type)) {
        case formats::RecordType::HostModule:
        case formats::RecordType::KernelName:
        case formats::RecordType::ThreadStart:
        case formats::RecordType::Device:
        case formats::RecordType::Name:
        case formats::RecordType::ExactLaunch:
        case formats::RecordType::ExactCode:
            return 0;
        case formats::RecordType::Free:
        case formats::RecordType::VmmAddressFree:
        case formats::RecordType::VmmRelease:
        case formats::RecordType::VmmUnmap:
        case formats::RecordType::PoolDestroy:
        case formats::RecordType::ContextDestroy:
        case formats::RecordType::StreamDestroy:
        case formats::RecordType::ObjectDestroy:
            return header.enterTicks;
        case formats::RecordType::PrimaryContext:
            return header.detail == static_cast<std::uint8_t>(formats::PrimaryContextCall::Retain)
                       ? header.exitTicks
                       : header.enterTicks;
        case formats::RecordType::Copy:
        case formats::RecordType::Set:
        case formats::RecordType::StreamWrite:
        case formats::RecordType::Launch:
            return header.enterTicks;
        default:
            return header.exitTicks;
    }
}

}  // namespace vramscope::collector
