// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "samples/sim/module_image.h"

// Kernels are compiled as for ThreadSanitizer, which puts a call before each access to memory
// (-fsanitize=thread; the names are those of its runtime's interface). Nothing of its runtime is linked:
// these are the calls, and they tell the simulated driver what the kernel touches. Included once in a module.

namespace vramscope::sim {

inline constexpr uint32_t kReads = 1;
inline constexpr uint32_t kWrites = 2;

extern ThreadState g_thread;

// Always inline: what returns here is the kernel. The byte before is of the call, and so of the access's
// line.
__attribute__((no_sanitize_thread, always_inline)) inline void reportAccess(const volatile void* address,
                                                                            unsigned long sizeBytes,
                                                                            uint32_t flags) {
    if (g_thread.access != nullptr)
        g_thread.access(reinterpret_cast<uint64_t>(__builtin_return_address(0)) - 1,
                        reinterpret_cast<uint64_t>(address), static_cast<uint32_t>(sizeBytes), flags);
}

}  // namespace vramscope::sim

#define SIM_HOOK extern "C" __attribute__((no_sanitize_thread, visibility("hidden"), used)) inline

#define SIM_ACCESS(name, sizeBytes, flags)                         \
    SIM_HOOK void name(void* address) {                            \
        ::vramscope::sim::reportAccess(address, sizeBytes, flags); \
    }
#define SIM_ACCESSES(sizeBytes)                                                       \
    SIM_ACCESS(__tsan_read##sizeBytes, sizeBytes, ::vramscope::sim::kReads)           \
    SIM_ACCESS(__tsan_write##sizeBytes, sizeBytes, ::vramscope::sim::kWrites)         \
    SIM_ACCESS(__tsan_unaligned_read##sizeBytes, sizeBytes, ::vramscope::sim::kReads) \
    SIM_ACCESS(__tsan_unaligned_write##sizeBytes, sizeBytes, ::vramscope::sim::kWrites)
// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
SIM_ACCESSES(1)
SIM_ACCESSES(2)
SIM_ACCESSES(4)
SIM_ACCESSES(8)
SIM_ACCESSES(16)

SIM_HOOK void __tsan_init() {}
SIM_HOOK void __tsan_func_entry(void*) {}
SIM_HOOK void __tsan_func_exit() {}
SIM_HOOK void __tsan_vptr_update(void**, void*) {}
SIM_HOOK void __tsan_vptr_read(void**) {}
SIM_HOOK void __tsan_read_range(void* address, unsigned long sizeBytes) {
    ::vramscope::sim::reportAccess(address, sizeBytes, ::vramscope::sim::kReads);
}
SIM_HOOK void __tsan_write_range(void* address, unsigned long sizeBytes) {
    ::vramscope::sim::reportAccess(address, sizeBytes, ::vramscope::sim::kWrites);
}

#define SIM_EXCHANGE(bits, name, operation)                                                   \
    SIM_HOOK uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t* address,    \
                                                         uint##bits##_t value, int) {         \
        ::vramscope::sim::reportAccess(address, bits / 8,                                     \
                                       ::vramscope::sim::kReads | ::vramscope::sim::kWrites); \
        return operation(address, value, __ATOMIC_SEQ_CST);                                   \
    }
#define SIM_COMPARE(bits, name)                                                                           \
    SIM_HOOK int __tsan_atomic##bits##_##name(volatile uint##bits##_t* address, uint##bits##_t* expected, \
                                              uint##bits##_t value, int, int) {                           \
        ::vramscope::sim::reportAccess(address, bits / 8,                                                 \
                                       ::vramscope::sim::kReads | ::vramscope::sim::kWrites);             \
        return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,             \
                                           __ATOMIC_SEQ_CST);                                             \
    }
#define SIM_ATOMICS(bits)                                                                                    \
    SIM_HOOK uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* address, int) {        \
        ::vramscope::sim::reportAccess(address, bits / 8, ::vramscope::sim::kReads);                         \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                        \
    SIM_HOOK void __tsan_atomic##bits##_store(volatile uint##bits##_t* address, uint##bits##_t value, int) { \
        ::vramscope::sim::reportAccess(address, bits / 8, ::vramscope::sim::kWrites);                        \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                        \
    SIM_EXCHANGE(bits, exchange, __atomic_exchange_n)                                                        \
    SIM_EXCHANGE(bits, fetch_add, __atomic_fetch_add)                                                        \
    SIM_EXCHANGE(bits, fetch_sub, __atomic_fetch_sub)                                                        \
    SIM_EXCHANGE(bits, fetch_and, __atomic_fetch_and)                                                        \
    SIM_EXCHANGE(bits, fetch_or, __atomic_fetch_or)                                                          \
    SIM_EXCHANGE(bits, fetch_xor, __atomic_fetch_xor)                                                        \
    SIM_COMPARE(bits, compare_exchange_strong)                                                               \
    SIM_COMPARE(bits, compare_exchange_weak)
SIM_ATOMICS(8)
SIM_ATOMICS(16)
SIM_ATOMICS(32)
SIM_ATOMICS(64)
SIM_HOOK void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
SIM_HOOK void __tsan_atomic_signal_fence(int) {}
// NOLINTEND(bugprone-reserved-identifier)

#undef SIM_ATOMICS
#undef SIM_COMPARE
#undef SIM_EXCHANGE
#undef SIM_ACCESSES
#undef SIM_ACCESS
#undef SIM_HOOK
