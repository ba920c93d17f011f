// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "analyzer/model/library.h"

namespace vramscope::model {

/// libraryOfStack() with memory: millions of buffers share few stacks. Not safe to use from two threads at
/// once.
class LibraryCache {
public:
    explicit LibraryCache(const Capture& capture) : m_capture(capture) {}

    /// The reference stays valid as long as the cache.
    const Library& of(StackId stack, ProcessId process) {
        // Without a stack the process decides, so it stands in for the stack with a number no stack has.
        const std::int64_t key = stack.isNone() ? -2 - process.value : stack.value;
        const auto at = m_libraries.find(key);
        if (at != m_libraries.end()) return at->second;
        return m_libraries.emplace(key, libraryOfStack(m_capture, stack, process)).first->second;
    }

private:
    const Capture& m_capture;
    std::unordered_map<std::int64_t, Library> m_libraries;
};

}  // namespace vramscope::model
