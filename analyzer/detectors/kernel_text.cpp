// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/kernel_text.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "analyzer/model/stack_text.h"

namespace vramscope::detectors {

std::string kernelText(std::string_view mangled) {
    if (mangled.empty()) return "a kernel";
    const std::string name(mangled);
    // A kernel of C called "f" is no float.
    if (!mangled.starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return demangled ? model::shortFunction(demangled.get()) : name;
}

std::string kernelPhrase(std::string_view mangled) {
    return mangled.empty() ? "a kernel" : "kernel " + kernelText(mangled);
}

std::string placeText(std::string_view place) {
    if (place.empty()) return "";
    const std::size_t offset = place.rfind("+0x");
    const bool isLine = place.rfind(':') != std::string_view::npos && offset == std::string_view::npos;
    if (isLine) return std::string(place.substr(place.rfind('/') + 1));
    return kernelText(place.substr(0, offset)) + std::string(place.substr(offset)) +
           ", of a module without lines (nvcc -lineinfo)";
}

}  // namespace vramscope::detectors
