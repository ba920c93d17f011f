// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "collector/unwind/eh_frame.h"
#include "collector/unwind/rule_compiler.h"

// Says how much of the code of this process's libraries the unwinder can step through: loads the libraries
// named on the command line, takes every 16th byte of every function that has a table entry, and counts the
// rules by kind.
namespace {

using namespace vramscope::unwind;

struct Coverage {
    uint64_t functions = 0;
    uint64_t samples = 0;
    uint64_t unknown = 0;
};

/// Reads the search table directly: the unwinder itself never lists functions.
bool measure(const ModuleRange& module, Coverage* coverage) {
    EhFrameTables tables;
    tables.header = ehFrameHeader(module);
    ByteReader reader(tables.header);
    reader.skip(2);
    if (reader.read<uint8_t>() != 0x03 || reader.read<uint8_t>() != 0x3b) return false;
    reader.skip(4);
    coverage->functions = reader.read<uint32_t>();
    if (!reader.ok() || !readFrameStart(tables.header, &tables.frameStart)) return false;
    tables.frameSegment = readableSegment(module, tables.frameStart);
    for (uint64_t i = 0; i < coverage->functions && reader.ok(); ++i) {
        const int64_t start = reader.read<int32_t>();
        reader.skip(4);
        CfiProgram program;
        const uint64_t pc = reinterpret_cast<uint64_t>(tables.header.begin) + static_cast<uint64_t>(start);
        if (!findFde(tables, pc, &program)) continue;
        for (uint64_t ip = program.startIp + 8; ip < program.endIp; ip += 16) {
            ++coverage->samples;
            if (compileRule(module, ip + 1).rule.kind() == RuleKind::Unknown) ++coverage->unknown;
        }
    }
    return coverage->samples != 0;
}

void report(const link_map& loaded) {
    ModuleRange module;
    if (!findModule(reinterpret_cast<uint64_t>(loaded.l_ld), &module)) return;
    const char* slash = std::strrchr(module.path, '/');
    const char* name = *module.path == '\0' ? "(this program)" : slash != nullptr ? slash + 1 : module.path;
    Coverage coverage;
    if (!measure(module, &coverage)) {
        std::printf("%-32s no search table\n", name);
        return;
    }
    std::printf("%-32s %7lu functions %8lu addresses, %.3f %% without a rule\n", name, coverage.functions,
                coverage.samples,
                100.0 * static_cast<double>(coverage.unknown) / static_cast<double>(coverage.samples));
}

}  // namespace

int main(int argc, char** argv) {
    int failures = 0;
    for (int i = 1; i < argc; ++i) {
        if (dlopen(argv[i], RTLD_LAZY | RTLD_GLOBAL) != nullptr) continue;
        std::fprintf(stderr, "unwind_coverage: %s\n", dlerror());
        ++failures;
    }
    const auto* loaded = static_cast<const link_map*>(dlopen(nullptr, RTLD_LAZY));
    for (; loaded != nullptr; loaded = loaded->l_next)
        report(*loaded);
    return failures == 0 ? 0 : 1;
}
