// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/recorder/address_space.h"
#include "collector/recorder/code_places.h"
#include "collector/recorder/process_scope.h"
#include "formats/event_types.h"

namespace vramscope::collector {

/// What kernels accessed, as the exact engine saw it: rows of exact_launches and exact_accesses. A launch is
/// announced before its own record comes, and its accesses come when the job has waited for it, in the record
/// of whichever thread did.
class ExactTable {
public:
    ExactTable(ProcessScope& scope, AddressSpace& addresses)
        : m_scope(scope), m_addresses(addresses), m_places(scope) {}

    /// An ExactLaunch record.
    void announced(const ResolvedCall& call);
    /// The launch that one or more were announced for; `event` as it was written.
    void launched(const ResolvedCall& call, const formats::LaunchEvent& event);
    /// An ExactAccess record.
    void accessed(const ResolvedCall& call);
    /// An ExactCode record.
    void addFunction(const ResolvedCall& call) { m_places.addFunction(call); }

private:
    struct Announced {
        std::uint64_t number;
        std::string kernel;  ///< of a graph's node, else empty
        std::uint64_t kernelPc;
    };
    struct Launch {
        std::int64_t rowId;
        std::uint64_t enterTicks;
        std::uint64_t kernelPc;
        std::uint64_t exitTicks;  ///< code that the launch itself made the driver load was there by then
    };
    struct Early {
        formats::ExactAccessPayload payload;
        std::uint8_t detail;
    };

    void write(const Launch& launch, const formats::ExactAccessPayload& access, std::uint8_t detail);
    std::int64_t kernelOf(const Announced& announced, const formats::LaunchEvent& event);

    /// Launches that are kept for accesses still to come: a job has fewer at work.
    static constexpr std::size_t kMostLaunches = 1u << 20;

    ProcessScope& m_scope;
    AddressSpace& m_addresses;
    CodePlaces m_places;
    std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<Announced>>
        m_announced;                                                ///< by thread, enter
    std::map<std::uint64_t, Launch> m_launches;                     ///< by number
    std::unordered_map<std::uint64_t, std::vector<Early>> m_early;  ///< read before the launch's own record
    std::unordered_map<std::string, std::int64_t> m_nodeKernels;    ///< rows of kernels, by name
};

}  // namespace vramscope::collector
