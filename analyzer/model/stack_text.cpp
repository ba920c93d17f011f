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

/// "ns::load" of "ns::load(int, char const*)"; a lambda's or anonymous namespace's parentheses stay.
std::string withoutArguments(const std::string& function) {
    int depth = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const char c = function[i];
        if (c == '<') ++depth;
        if (c == '>' && depth > 0) --depth;
        if (c != '(' || depth > 0 || i == 0) continue;
        if (function.compare(i, 21, "(anonymous namespace)") == 0) continue;
        return function.substr(0, i);
    }
    return function;
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
    const std::vector<FrameText> frames = readableFrames(capture, stack, 1);
    if (frames.empty()) return "a place that was not recorded";
    const std::string function = withoutArguments(frames.front().function);
    return frames.front().place.empty() ? function : fmt::format("{} {}", frames.front().place, function);
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
