// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python_traceback.h"

#include <cstdio>
#include <cstring>

#include "collector/inject/utf8.h"

namespace vramscope::collector {

namespace {

// sys.setrecursionlimit() allows more; a job that ends so deep is told without its place.
constexpr int kMostEntries = 1'000'000;

bool has(PythonObject* object, unsigned long typeFlag) {
    const OwnedObject type(g_python.typeOf(object));
    return type && (g_python.typeFlags(type.get()) & typeFlag) != 0;
}

// A new line would end the text's part in its record; in a path or a name it is no more than a curiosity.
void replaceNewLines(char* text) {
    for (; *text != '\0'; ++text) {
        if (*text == '\n') *text = ' ';
    }
}

bool copyText(PythonObject* text, char* target, std::size_t capacity) {
    constexpr std::ptrdiff_t kMostCharacters = 1024;
    wchar_t wide[kMostCharacters + 1];
    if (text == nullptr || !has(text, kPythonIsText)) return false;
    const std::ptrdiff_t length = g_python.toWide(text, wide, kMostCharacters);
    if (length < 0) return false;
    wide[length] = L'\0';
    toUtf8(wide, target, capacity);
    replaceNewLines(target);
    return true;
}

bool copyAttribute(PythonObject* object, const char* name, char* target, std::size_t capacity) {
    const OwnedObject text(g_python.attribute(object, name));
    return copyText(text.get(), target, capacity);
}

bool readEntry(PythonObject* entry, PythonPlace& place) {
    const OwnedObject line(g_python.attribute(entry, "tb_lineno"));
    const OwnedObject frame(line ? g_python.attribute(entry, "tb_frame") : nullptr);
    const OwnedObject code(frame ? g_python.attribute(frame.get(), "f_code") : nullptr);
    // None for a line of code that has no source.
    place.line = line && line.get() != g_python.none ? g_python.toLong(line.get()) : 0;
    return code && copyAttribute(code.get(), "co_filename", place.file, sizeof(place.file));
}

// What starts the job's file when it is run as `python -m module`.
bool isRunner(const char* file) {
    constexpr char kRunner[] = "/runpy.py";
    constexpr std::size_t kLength = sizeof(kRunner) - 1;
    const std::size_t length = std::strlen(file);
    return std::strncmp(file, "<frozen ", 8) == 0 ||
           (length >= kLength && std::strcmp(file + length - kLength, kRunner) == 0);
}

}  // namespace

void readTraceback(PythonObject* traceback, PythonPlaces& places) {
    if (traceback == nullptr || traceback == g_python.none) return;
    PythonPlaces found;
    PythonPlace place;
    OwnedObject next(nullptr);
    PythonObject* entry = traceback;
    for (int depth = 0; depth < kMostEntries; ++depth) {
        if (!readEntry(entry, place)) return;
        if ((found.script.file[0] == '\0' && !isRunner(place.file)) ||
            std::strcmp(found.script.file, place.file) == 0) {
            found.script = place;
        }
        next.reset(g_python.attribute(entry, "tb_next"));
        entry = next.get();
        if (entry == nullptr) return;
        if (entry != g_python.none) continue;
        places.raised = place;
        places.script = found.script;
        return;
    }
}

void readExceptionName(PythonObject* exceptionClass, char* name, std::size_t capacity) {
    name[0] = '\0';
    if (!has(exceptionClass, kPythonIsType)) return;
    if ((g_python.typeFlags(exceptionClass) & kPythonIsException) == 0) return;
    const char* plain = g_python.exceptionName(exceptionClass);
    if (plain != nullptr) std::snprintf(name, capacity, "%s", plain);
    replaceNewLines(name);

    // A class that is made by another class than `type` may run code of the job's when asked.
    const OwnedObject maker(g_python.typeOf(exceptionClass));
    if (maker.get() != g_python.plainType) return;
    char module[256];
    char qualified[256];
    if (!copyAttribute(exceptionClass, "__module__", module, sizeof(module)) ||
        !copyAttribute(exceptionClass, "__qualname__", qualified, sizeof(qualified))) {
        return;
    }
    const bool isPlain = std::strcmp(module, "builtins") == 0 || std::strcmp(module, "__main__") == 0;
    std::snprintf(name, capacity, "%s%s%s", isPlain ? "" : module, isPlain ? "" : ".", qualified);
}

}  // namespace vramscope::collector
