// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "samples/sim/cuda_abi.h"

namespace vramscope::sim {

/// What a call needs before its body runs.
enum class Needs {
    Nothing,
    Driver,   ///< cuInit has been called
    Context,  ///< and the thread has a living context without a sticky error
};

/// The fixed facts of one exported function.
struct CallSite {
    const char* name;
    uint32_t callbackId;
    Needs needs;
    bool perThreadStream;  ///< stream 0 means the thread's own (the _ptds and _ptsz variants)
    CUfunction (*launched)(const void* params);  ///< for launches: the function of these parameters
};

/// Runs one API call: callback ENTER, the checks of `site.needs`, the body under the driver's lock, callback
/// EXIT. The body reads `params` after ENTER, so what a subscriber changed there takes effect.
CUresult runCall(const CallSite& site, void* params, CUresult (*body)(void* params));

/// True while the calling thread is in a _ptds or _ptsz variant.
bool callUsesPerThreadStream();

/// Inside a body: the lock of the driver, held on entry. A body may drop it to raise callbacks or run host
/// functions.
std::unique_lock<std::mutex>& driverLock();

/// Drops the driver's lock for its lifetime.
class Unlocked {
public:
    Unlocked() { driverLock().unlock(); }
    ~Unlocked() { driverLock().lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
};

/// One row of what cuGetProcAddress can find. Rows register themselves when the library is loaded.
struct ExportedFunction {
    ExportedFunction(const char* exportedName, void* exportedAddress);
    const char* name;
    void* address;
    const ExportedFunction* next;
};

struct AnyField {
    template <typename T>
    operator T() const;  // NOLINT(google-explicit-constructor): only ever named in an unevaluated test
};

template <typename P, typename... Fields>
constexpr size_t fieldCount() {
    if constexpr (requires { P{Fields{}..., AnyField{}}; }) {
        return fieldCount<P, Fields..., AnyField>();
    } else {
        return sizeof...(Fields);
    }
}

/// Calls `body` with the fields of a parameter struct of generated_cuda_meta.h.
template <auto Body, typename P>
CUresult callWithFields(P& p) {
    constexpr size_t kCount = fieldCount<P>();
    static_assert(kCount <= 11);
    if constexpr (kCount == 1) {
        auto& [a] = p;
        return Body(a);
    } else if constexpr (kCount == 2) {
        auto& [a, b] = p;
        return Body(a, b);
    } else if constexpr (kCount == 3) {
        auto& [a, b, c] = p;
        return Body(a, b, c);
    } else if constexpr (kCount == 4) {
        auto& [a, b, c, d] = p;
        return Body(a, b, c, d);
    } else if constexpr (kCount == 5) {
        auto& [a, b, c, d, e] = p;
        return Body(a, b, c, d, e);
    } else if constexpr (kCount == 6) {
        auto& [a, b, c, d, e, f] = p;
        return Body(a, b, c, d, e, f);
    } else if constexpr (kCount == 7) {
        auto& [a, b, c, d, e, f, g] = p;
        return Body(a, b, c, d, e, f, g);
    } else if constexpr (kCount == 8) {
        auto& [a, b, c, d, e, f, g, h] = p;
        return Body(a, b, c, d, e, f, g, h);
    } else if constexpr (kCount == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = p;
        return Body(a, b, c, d, e, f, g, h, i);
    } else if constexpr (kCount == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = p;
        return Body(a, b, c, d, e, f, g, h, i, j);
    } else {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = p;
        return Body(a, b, c, d, e, f, g, h, i, j, k);
    }
}

/// The C function behind an exported name: packs its arguments into the parameter struct and runs the call.
template <auto Body, typename Params, const CallSite& Site>
struct EntryPoint;

template <typename... Arguments, CUresult (*Body)(Arguments...), typename Params, const CallSite& Site>
struct EntryPoint<Body, Params, Site> {
    static CUresult call(Arguments... arguments) {
        if constexpr (sizeof...(Arguments) == 0) {
            return runCall(Site, nullptr, [](void*) { return Body(); });
        } else {
            Params params{arguments...};
            return runCall(Site, &params,
                           [](void* p) { return callWithFields<Body>(*static_cast<Params*>(p)); });
        }
    }
};

template <typename P>
CUfunction functionOfLaunch(const void* params) {
    return static_cast<const P*>(params)->f;
}

}  // namespace vramscope::sim

// The exported symbol is an indirect function (resolved when the library is loaded) because C++ has no way to
// give a template instance a C name.
#define SIM_EXPORT(name, body, params, needs, perThread, launched)                                   \
    static constexpr ::vramscope::sim::CallSite name##_site{                                         \
        #name, CUPTI_DRIVER_TRACE_CBID_##name, ::vramscope::sim::Needs::needs, perThread, launched}; \
    extern "C" {                                                                                     \
    static decltype(&name) name##_resolve() {                                                        \
        return &::vramscope::sim::EntryPoint<body, params, name##_site>::call;                       \
    }                                                                                                \
    __attribute__((visibility("default"), ifunc(#name "_resolve"))) decltype(name) name;             \
    }                                                                                                \
    static const ::vramscope::sim::ExportedFunction name##_exported(                                 \
        #name, reinterpret_cast<void*>(&::vramscope::sim::EntryPoint<body, params, name##_site>::call));

/// Defines an exported driver function; the body follows. The parameter struct name##_params must exist.
#define SIM_API(needs, name, ...)                                       \
    static CUresult name##_body(__VA_ARGS__);                           \
    SIM_EXPORT(name, name##_body, name##_params, needs, false, nullptr) \
    static CUresult name##_body(__VA_ARGS__)

/// As SIM_API, for functions without parameters, which have no parameter struct either.
#define SIM_API_PLAIN(needs, name)                             \
    static CUresult name##_body();                             \
    SIM_EXPORT(name, name##_body, void, needs, false, nullptr) \
    static CUresult name##_body()

/// The per-thread-default-stream variant of a function that SIM_API defined.
#define SIM_API_PER_THREAD(needs, name, suffix) \
    SIM_EXPORT(name##suffix, name##_body, name##suffix##_params, needs, true, nullptr)

/// As SIM_API, for launches: callbacks carry the kernel's name.
#define SIM_LAUNCH_API(name, ...)                                           \
    static CUresult name##_body(__VA_ARGS__);                               \
    SIM_EXPORT(name, name##_body, name##_params, Context, false,            \
               &::vramscope::sim::functionOfLaunch<name##_params>)          \
    SIM_EXPORT(name##_ptsz, name##_body, name##_ptsz_params, Context, true, \
               &::vramscope::sim::functionOfLaunch<name##_ptsz_params>)     \
    static CUresult name##_body(__VA_ARGS__)
