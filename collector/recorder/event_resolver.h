// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/recorder/address_space.h"
#include "collector/recorder/identity_tables.h"
#include "collector/recorder/object_table.h"
#include "collector/recorder/recent_map.h"
#include "formats/argument_set.h"
#include "formats/event_types.h"

namespace vramscope::collector {

/// The high-volume events of one process: launches, copies, sets and synchronisations, with every address
/// replaced by the buffer that lived there when the call began, and the offset in it.
class EventResolver {
public:
    EventResolver(ProcessScope& scope, IdentityTables& identities, AddressSpace& addresses,
                  ObjectTable& objects)
        : m_scope(scope), m_identities(identities), m_addresses(addresses), m_objects(objects) {}

    void kernelName(const ResolvedCall& call);
    /// Gives the event back as it was written.
    formats::LaunchEvent launch(const ResolvedCall& call);
    void copy(const ResolvedCall& call);
    void set(const ResolvedCall& call);
    void sync(const ResolvedCall& call);

    /// The row of a kernel that is named by `handle` now; one never seen gets its row, with `nameIfNew` or no
    /// name.
    std::int64_t kernelOf(std::uint64_t handle, const char* nameIfNew);
    /// `handle` names something else from now on: its row.
    std::int64_t newKernel(std::uint64_t handle, std::string_view name);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

private:
    struct Place {
        std::int64_t bufferId;
        std::uint64_t offset;
        bool isDevice;
    };

    /// What the name of a copy's call says.
    struct CopyApi {
        std::uint32_t number;  ///< of the name, in the writer of copies
        std::optional<formats::CopyDirection> direction;
    };

    Place placeOf(std::uint64_t address, std::uint64_t timeTicks) const;
    CopyApi copyApi(std::uint16_t api);
    /// Fills m_arguments.
    void resolveArguments(const ResolvedCall& call);
    /// Fields that all events share. `Event` is one of formats/event_types.h.
    template <typename Event>
    Event begin(const ResolvedCall& call) const;

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    AddressSpace& m_addresses;
    ObjectTable& m_objects;
    std::unordered_map<std::uint64_t, std::int64_t>
        m_kernels;  ///< by handle; a reused handle is announced anew
    RecentMap<std::uint64_t, std::int64_t, 1024> m_recentKernels;
    RecentMap<std::uint16_t, CopyApi, 64> m_copyApis;
    RecentMap<std::uint16_t, std::uint32_t, 64> m_setApis;
    RecentMap<std::uint16_t, std::uint32_t, 64> m_syncApis;
    std::vector<formats::LaunchArgument> m_arguments;  // kept for their memory
};

}  // namespace vramscope::collector
