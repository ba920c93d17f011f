// SPDX-License-Identifier: Apache-2.0
// The compiled half of {fmt}, for vramscope::dep_fmt. Debian ships it as a shared library only, which an
// installed vramscope must not need; and its header-only form, used everywhere, makes each file that prints
// take three seconds longer to compile. So this one file is compiled in the header-only form, with the option
// that keeps inline functions, for all the others.

#include <cstdio>
#include <fmt/format.h>
#include <string>

// The addresses bring in the templates that formatting needs.
extern std::string (*const kVramscopeFormat)(fmt::string_view, fmt::format_args);
extern void (*const kVramscopePrint)(std::FILE*, fmt::string_view, fmt::format_args);
std::string (*const kVramscopeFormat)(fmt::string_view, fmt::format_args) = fmt::vformat;
void (*const kVramscopePrint)(std::FILE*, fmt::string_view, fmt::format_args) = fmt::vprint;
