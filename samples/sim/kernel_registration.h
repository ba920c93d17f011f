// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "samples/sim/access_hooks.h"
#include "samples/sim/module_image.h"

namespace vramscope::sim {

inline ThreadState g_thread;
inline ModuleImage g_image{kModuleImageVersion, nullptr, nullptr, &g_thread};

/// Enters a kernel into the image. Its parameters lie as the CUDA ABI lays them out: in order, each at its
/// own alignment.
template <auto Kernel>
class KernelRegistration;

template <typename... Parameters, void (*Kernel)(Parameters...)>
class KernelRegistration<Kernel> {
public:
    explicit KernelRegistration(const char* name)
        : m_image{name, sizeof...(Parameters), kLayout.data(), &run, g_image.kernels} {
        g_image.kernels = &m_image;
    }

private:
    static constexpr std::array<ParameterLayout, sizeof...(Parameters)> layOut() {
        std::array<ParameterLayout, sizeof...(Parameters)> layout{};
        size_t end = 0;
        size_t index = 0;
        ((end = (end + alignof(Parameters) - 1) / alignof(Parameters) * alignof(Parameters),
          layout[index++] = {end, sizeof(Parameters)}, end += sizeof(Parameters)),
         ...);
        return layout;
    }

    template <size_t... Indices>
    static void call(void** parameters, std::index_sequence<Indices...>) {
        Kernel(*static_cast<Parameters*>(parameters[Indices])...);
    }

    static void run(void** parameters) { call(parameters, std::index_sequence_for<Parameters...>()); }

    static constexpr std::array<ParameterLayout, sizeof...(Parameters)> kLayout = layOut();
    KernelImage m_image;
};

/// Enters a __device__ variable into the image.
class VariableRegistration {
public:
    VariableRegistration(const char* name, void* address, size_t sizeBytes)
        : m_image{name, address, sizeBytes, g_image.variables} {
        g_image.variables = &m_image;
    }

private:
    VariableImage m_image;
};

}  // namespace vramscope::sim

extern "C" __attribute__((visibility("default"), weak)) vramscope::sim::ModuleImage*
vramscopeSimModuleImage();
extern "C" vramscope::sim::ModuleImage* vramscopeSimModuleImage() {
    return &vramscope::sim::g_image;
}
