// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/kernel_text.h"

#include <cstdlib>
#include <cxxabi.h>

#include "analyzer/model/stack_text.h"

namespace vramscope::detectors {

std::string kernelText(std::string_view mangled) {
    if (mangled.empty()) return "a kernel";
    const std::string name(mangled);
    int status = 0;
    char* demangled = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string text = model::shortFunction(demangled != nullptr ? demangled : name.c_str());
    std::free(demangled);
    return text;
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
