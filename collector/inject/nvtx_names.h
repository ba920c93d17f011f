// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramscope::collector::nvtx {

/// A domain or a registered string. Its address is the handle that the job gets, and it stays for the life of
/// the process: NVTX lets handles be used long after whoever made them is unloaded.
struct Name {
    std::uint32_t number;  ///< of a domain: 1 and up in order of creation; 0 is the default domain
    std::uint32_t textBytes : 31;
    std::uint32_t isTaskDomain : 1;  ///< of a domain: its ranges are tasks
    const char* text() const { return reinterpret_cast<const char*>(this + 1); }  ///< NUL-terminated
};

/// The domain called `name`. Every module of the job that creates it gets the same one. Null, the default
/// domain's handle, for a null or empty name and when there is no room. Any thread, before recording too; no
/// heap and no lock.
const Name* internDomain(const char* name);

/// The registered string `text`, of whatever domain. Never null: one that there is no room for becomes a
/// sentence that says so.
const Name* internString(const char* text);

/// The name behind a handle that the job passed, null if it is none of ours (or the default domain). Two
/// compares.
const Name* domainOf(const void* handle);
const Name* stringOf(const void* handle);

}  // namespace vramscope::collector::nvtx
