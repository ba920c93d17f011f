// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/stack_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyzer/model/library.h"

namespace vramscope::model {
namespace {

std::string fileNameOf(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string placeOf(std::string_view file, std::int64_t line) {
    if (file.empty()) return "";
    return line > 0 ? fmt::format("{}:{}", fileNameOf(file), line) : fileNameOf(file);
}

/// Functions inlined at a frame, innermost first. A text that is no such array gives none.
std::vector<FrameText> inlinedAt(const Frame& frame) {
    std::vector<FrameText> texts;
    if (frame.inlinedJson.empty()) return texts;
    const nlohmann::json list = nlohmann::json::parse(frame.inlinedJson, nullptr, false);
    if (!list.is_array()) return texts;
    for (const nlohmann::json& entry : list) {
        if (!entry.is_object()) continue;
        const auto text = [&](const char* key) {
            const auto at = entry.find(key);
            return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
        };
        const auto line = entry.find("line");
        const bool hasLine = line != entry.end() && line->is_number_integer();
        texts.push_back({text("function"), placeOf(text("file"), hasLine ? line->get<std::int64_t>() : 0)});
    }
    return texts;
}

/// What comes before main() and after the last frame that tells anything: the same in every program.
bool isStartup(const Frame& frame) {
    const std::string_view function = frame.function;
    return function == "_start" || function.substr(0, 12) == "__libc_start" || function == "clone" ||
           function == "clone3" || function == "start_thread";
}

bool isLibraryCode(const Library& library) {
    return library.kind == LibraryKind::Framework || library.kind == LibraryKind::Compute;
}

/// Shows neither who asked nor for what: driver and runtime, what starts a thread, an interpreter.
bool isSilent(const Capture& capture, const Frame& frame) {
    return isStartup(frame) || isPlumbing(capture, frame) || isInterpreter(capture, frame);
}

/// Says something to a person who does not know the library's insides: it has a name, and not that of the
/// part that hands the memory out.
bool tellsSomething(const Frame& frame) {
    return !frame.function.empty() && frame.function.find("Allocator") == std::string_view::npos;
}

/// See shortPlace(); nullptr when the stack is empty.
const Frame* tellingFrame(const Capture& capture, const std::vector<const Frame*>& frames) {
    const Frame* calledByScript = nullptr;
    const Frame* first = nullptr;
    const Frame* firstTelling = nullptr;
    bool isInScript = false;
    for (const Frame* frame : frames) {
        isInScript = isInScript || isInterpreter(capture, *frame);
        if (isSilent(capture, *frame)) continue;
        if (!isLibraryCode(libraryOfFrame(capture, *frame))) return frame;
        if (!first) first = frame;
        if (!firstTelling && tellsSomething(*frame)) firstTelling = frame;
        if (!isInScript) calledByScript = frame;
    }
    if (isInScript && calledByScript) return calledByScript;
    if (firstTelling) return firstTelling;
    if (first) return first;
    return frames.empty() ? nullptr : frames.front();
}

/// The innermost text of a frame: a function inlined there, or the frame's own.
FrameText innermostText(const Capture& capture, const Frame& frame) {
    std::vector<FrameText> inlined = inlinedAt(frame);
    return inlined.empty() ? frameText(capture, frame) : std::move(inlined.front());
}

}  // namespace

std::vector<const Frame*> framesOf(const Capture& capture, StackId stack) {
    std::vector<const Frame*> frames;
    for (std::size_t depth = 0; depth < kDeepestStack; ++depth) {
        const Stack* row = capture.stacks.find(stack);
        if (!row) break;
        if (const Frame* frame = capture.frames.find(row->frameId)) frames.push_back(frame);
        stack = row->parentId;
    }
    return frames;
}

FrameText frameText(const Capture& capture, const Frame& frame) {
    const Module* module = capture.modules.find(frame.moduleId);
    FrameText text;
    text.place = placeOf(frame.file, frame.line);
    if (text.place.empty() && module) text.place = fileNameOf(module->path);
    if (!frame.function.empty())
        text.function = frame.function;
    else if (module)
        text.function = fmt::format("+{:#x}", static_cast<std::uint64_t>(frame.moduleOffset));
    else
        text.function = fmt::format("{:#x}", static_cast<std::uint64_t>(frame.address));
    return text;
}

std::vector<FrameText> readableFrames(const Capture& capture, StackId stack, std::size_t most) {
    std::vector<const Frame*> frames = framesOf(capture, stack);
    const auto isInner = [&](const Frame* frame) { return isPlumbing(capture, *frame); };
    auto first = std::find_if_not(frames.begin(), frames.end(), isInner);
    if (first == frames.end()) first = frames.begin();
    std::vector<FrameText> texts;
    for (; first != frames.end() && texts.size() < most; ++first) {
        if (isStartup(**first)) continue;
        for (FrameText& inlined : inlinedAt(**first)) {
            if (texts.size() < most) texts.push_back(std::move(inlined));
        }
        if (texts.size() < most) texts.push_back(frameText(capture, **first));
    }
    return texts;
}

std::string shortPlace(const Capture& capture, StackId stack) {
    const std::vector<const Frame*> frames = framesOf(capture, stack);
    const Frame* telling = tellingFrame(capture, frames);
    if (!telling) return "a place that was not recorded";
    FrameText text = innermostText(capture, *telling);
    text.function = shortFunction(text.function);
    const std::string place =
        text.place.empty() ? text.function : fmt::format("{} {}", text.place, text.function);
    const auto asking = std::find_if(frames.begin(), frames.end(),
                                     [&](const Frame* frame) { return !isSilent(capture, *frame); });
    if (asking == frames.end() || *asking == telling) return place;
    const Library library = libraryOfFrame(capture, **asking);
    const bool isSame = library == libraryOfFrame(capture, *telling);
    return isSame || !isLibraryCode(library) ? place : fmt::format("{}, in {}", place, library.name);
}

std::vector<FrameText> toldFrames(const Capture& capture, StackId stack, std::size_t most) {
    std::vector<const Frame*> frames = framesOf(capture, stack);
    if (!std::all_of(frames.begin(), frames.end(), [&](const Frame* f) { return isSilent(capture, *f); }))
        std::erase_if(frames, [&](const Frame* frame) { return isSilent(capture, *frame); });
    std::vector<FrameText> texts;
    const auto add = [&](FrameText text) {
        text.function = shortFunction(text.function);
        texts.push_back(std::move(text));
    };
    for (std::size_t i = 0; i < frames.size() && texts.size() < most;) {
        const Library library = libraryOfFrame(capture, *frames[i]);
        std::size_t end = i + 1;
        while (isLibraryCode(library) && end < frames.size() &&
               libraryOfFrame(capture, *frames[end]) == library)
            ++end;
        for (FrameText& inlined : inlinedAt(*frames[i]))
            add(std::move(inlined));
        add(frameText(capture, *frames[i]));
        if (end - i > 3) texts.push_back({fmt::format("... {} more in {}", end - i - 2, library.name), ""});
        if (end - i == 3) add(frameText(capture, *frames[i + 1]));
        if (end - i > 1) add(frameText(capture, *frames[end - 1]));
        i = end;
    }
    return texts;
}

std::string stableName(const Capture& capture, StackId stack) {
    std::string text;
    for (const Frame* frame : framesOf(capture, stack)) {
        if (isPlumbing(capture, *frame) || isStartup(*frame)) continue;
        const Module* module = capture.modules.find(frame->moduleId);
        text += module ? fileNameOf(module->path) : "?";
        text += '!';
        // Without a symbol the offset in the module is the next best name; it is stable until a rebuild.
        text += frame->function.empty()
                    ? fmt::format("+{:x}", static_cast<std::uint64_t>(frame->moduleOffset))
                    : std::string(frame->function);
        text += '\n';
    }
    return text;
}

}  // namespace vramscope::model
