// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/process_identity.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vramscope::sim {

ProcessIdentity identityOf(pid_t pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE* file = std::fopen(path, "re");
    if (!file) return {};
    char text[1024] = {};
    const size_t length = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[length] = '\0';
    // The name in field 2 may hold spaces and parentheses: count fields from the last parenthesis.
    char* cursor = std::strrchr(text, ')');
    if (!cursor) return {};
    ProcessIdentity identity;
    int field = 2;
    for (char* word = strtok_r(cursor, " ", &cursor); word; word = strtok_r(nullptr, " ", &cursor), ++field) {
        if (field == 3 && (*word == 'Z' || *word == 'X')) return {};
        if (field == 22) identity.startTicks = std::strtoull(word, nullptr, 10);
        if (field == 28) identity.stackAddress = std::strtoull(word, nullptr, 10);
    }
    identity.pid = pid;
    return identity;
}

}  // namespace vramscope::sim
