// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include "tests/collector/symbol_libs/shapes.h"

namespace vramscope::symbols {

inline const void* lastReturnAddress = nullptr;

[[gnu::noinline]] inline void noteReturnAddress() {
    lastReturnAddress = __builtin_return_address(0);
}
[[gnu::noinline]] inline void noteReturnAddressAndThrow() {
    lastReturnAddress = __builtin_return_address(0);
    throw 1;
}

/// The address, as the file counts it, to which `function` of the shapes library would have been returned to.
inline std::uint64_t returnAddressIn(const char* function) {
    static void* library = ::dlopen(VRAMSCOPE_SHAPES, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << ::dlerror();
    const auto call = reinterpret_cast<void (*)(ShapesCallback)>(::dlsym(library, function));
    EXPECT_NE(call, nullptr) << function;
    if (std::string_view(function) == "shapesAtEnd") {
        EXPECT_THROW(call(&noteReturnAddressAndThrow), int);
    } else {
        call(&noteReturnAddress);
    }
    link_map* map = nullptr;
    EXPECT_EQ(::dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    return reinterpret_cast<std::uint64_t>(lastReturnAddress) - map->l_addr;
}

}  // namespace vramscope::symbols
