// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/sharing_policy.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

namespace vramscope::report {
namespace {

constexpr unsigned kOwner = 1;
constexpr unsigned kUser = 2;
constexpr unsigned kCall = 4;
constexpr unsigned kOwnerStack = 8;
constexpr unsigned kUserStack = 16;

unsigned fieldsOf(const AllowedSharing& line) {
    return (line.owner ? kOwner : 0) | (line.user ? kUser : 0) | (line.call ? kCall : 0) |
           (line.ownerStack ? kOwnerStack : 0) | (line.userStack ? kUserStack : 0);
}

/// The rule and the values of `fields`; nullopt when `line` does not have them all.
std::optional<std::string> textOf(const AllowedSharing& line, unsigned fields) {
    if ((fieldsOf(line) & fields) != fields) return std::nullopt;
    // No text holds a line feed: describeSharing() and the file's reader see to that.
    std::string text = line.rule + "\n";
    if ((fields & kOwner) != 0) text += *line.owner + "\n";
    if ((fields & kUser) != 0) text += *line.user + "\n";
    if ((fields & kCall) != 0) text += *line.call + "\n";
    const auto addStack = [&](const std::vector<std::string>& frames) {
        for (const std::string& frame : frames)
            text += frame + "\n";
        text += "\n";
    };
    if ((fields & kOwnerStack) != 0) addStack(*line.ownerStack);
    if ((fields & kUserStack) != 0) addStack(*line.userStack);
    return text;
}

/// Length of the UTF-8 character at `at`, 0 for bytes that are none.
std::size_t characterAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xc2) || first >= 0xf5 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
    }
    // Surrogates and long forms are no characters either.
    if (length == 3 && ((first == 0xe0 && byte(at + 1) < 0xa0) || (first == 0xed && byte(at + 1) >= 0xa0)))
        return 0;
    if (length == 4 && ((first == 0xf0 && byte(at + 1) < 0x90) || (first == 0xf4 && byte(at + 1) >= 0x90)))
        return 0;
    return length;
}

/// Texts of a capture are the job's; a policy file holds text that every editor shows.
std::string plainText(std::string_view text) {
    constexpr std::size_t kMost = 1000;
    std::string plain;
    for (std::size_t at = 0; at < text.size() && plain.size() < kMost;) {
        const std::size_t length = characterAt(text, at);
        const bool isControl = static_cast<unsigned char>(text[at]) < 0x20 || text[at] == 0x7f;
        if (length == 0 || isControl)
            plain += '?';
        else
            plain += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return plain;
}

std::optional<std::vector<std::string>> framesOfStack(const model::Capture& capture, model::StackId stack) {
    constexpr std::size_t kMostFrames = 64;
    if (stack.isNone()) return std::nullopt;
    std::vector<std::string> frames;
    const std::string text = model::stableName(capture, stack);
    for (std::size_t at = 0; at < text.size() && frames.size() < kMostFrames;) {
        const std::size_t end = text.find('\n', at);
        frames.push_back(plainText(std::string_view(text).substr(at, end - at)));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    if (frames.empty()) return std::nullopt;
    return frames;
}

}  // namespace

SharingPolicy::SharingPolicy(std::string name, std::vector<AllowedSharing> lines)
    : m_isLoaded(true), m_name(std::move(name)), m_lines(std::move(lines)) {
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const unsigned fields = fieldsOf(m_lines[i]);
        if (const auto text = textOf(m_lines[i], fields)) m_byFields[fields].emplace(*text, i);
    }
}

std::optional<std::size_t> SharingPolicy::lineFor(const AllowedSharing& sharing) const {
    std::optional<std::size_t> first;
    for (const auto& [fields, lines] : m_byFields) {
        const auto text = textOf(sharing, fields);
        if (!text) continue;
        const auto found = lines.find(*text);
        if (found != lines.end() && (!first || found->second < *first)) first = found->second;
    }
    return first;
}

AllowedSharing describeSharing(const model::Capture& capture, const detectors::Sharing& sharing) {
    AllowedSharing line;
    line.rule = sharing.rule;
    line.owner = plainText(sharing.owner);
    line.user = plainText(sharing.user);
    if (!sharing.call.empty()) line.call = plainText(sharing.call);
    line.ownerStack = framesOfStack(capture, sharing.ownerStackId);
    line.userStack = framesOfStack(capture, sharing.userStackId);
    return line;
}

detectors::SharingFilter PolicyUse::filter() {
    if (m_policy.lines().empty()) return {};
    return [this](const detectors::Sharing& sharing) {
        const auto line = m_policy.lineFor(describeSharing(m_capture, sharing));
        if (!line) return false;
        m_hits[*line] = model::addClamped(m_hits[*line], sharing.count);
        m_allowed = model::addClamped(m_allowed, sharing.count);
        return true;
    };
}

std::optional<PolicyCount> PolicyUse::count() const {
    if (!m_policy.isLoaded()) return std::nullopt;
    return PolicyCount{
        m_policy.name(), m_allowed,
        std::count_if(m_hits.begin(), m_hits.end(), [](std::int64_t hits) { return hits > 0; }),
        static_cast<std::int64_t>(m_hits.size())};
}

std::string PolicyCount::text() const {
    return fmt::format("allowed by {}: {}, by {} of {}", file, model::countOf(uses, "use"),
                       model::countText(usedLines), model::countOf(lines, "line"));
}

std::vector<AllowedSharing> sharingIn(const model::Capture& capture) {
    std::map<std::string, AllowedSharing> seen;
    detectors::detectAll(capture, [&](const detectors::Sharing& sharing) {
        AllowedSharing line = describeSharing(capture, sharing);
        const std::string key = std::to_string(fieldsOf(line)) + "\n" + *textOf(line, fieldsOf(line));
        seen.emplace(key, std::move(line));
        return true;
    });
    std::vector<AllowedSharing> lines;
    for (auto& [key, line] : seen)
        lines.push_back(std::move(line));
    return lines;
}

}  // namespace vramscope::report
