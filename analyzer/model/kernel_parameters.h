// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vramscope::model {

/// What the mangled name of a kernel (Itanium C++ ABI, section 5.1) tells of its parameters: which are
/// pointers to const, by their offset in the parameter block. Names of extern "C" kernels tell nothing, and
/// behind a parameter whose size the name does not tell nothing is known either.
class KernelParameters {
public:
    KernelParameters() = default;
    explicit KernelParameters(std::string_view mangledName);

    /// True only when the name says so.
    bool isPointerToConst(std::int64_t parameterOffset) const;

private:
    std::vector<std::int64_t> m_constPointers;  ///< offsets
};

}  // namespace vramscope::model
