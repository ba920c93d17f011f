// SPDX-License-Identifier: Apache-2.0
// The compiled half of {fmt}, for vramscope::dep_fmt. Debian ships it as a shared library only, which an installed vramscope
// must not need; and its header-only form, used everywhere, makes each file that prints take three seconds longer to compile.
// So this one file is compiled with the header-only form, and keeps what all the others call.

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace {

using Format = std::string (*)(fmt::string_view, fmt::format_args);
using Print = void (*)(std::FILE*, fmt::string_view, fmt::format_args);

}  // namespace

// Taking the addresses is what makes the compiler emit the functions. A link error that names another function of fmt's
// belongs here too.
extern const Format kVramscopeFormat;
extern const Print kVramscopePrint;
const Format kVramscopeFormat = fmt::vformat;
const Print kVramscopePrint = fmt::vprint;
