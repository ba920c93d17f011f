// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/code_places.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "collector/recorder/or_null.h"

namespace vramscope::collector {

namespace {

/// The number with these low 32 bits that is nearest to `near`.
std::uint64_t widened(std::uint32_t low, std::uint64_t near) {
    return near + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                      static_cast<std::int32_t>(low - static_cast<std::uint32_t>(near))));
}

}  // namespace

CodePlaces::~CodePlaces() {
    std::error_code error;
    for (std::uint32_t image = 1; image <= m_lastImage; ++image) {
        for (const std::filesystem::path& file : filesOf(image))
            std::filesystem::remove(file, error);
    }
}

void CodePlaces::addFunction(const ResolvedCall& call) {
    constexpr std::uint32_t kMostNumbers = 100'000;
    const formats::TextPayload& payload = call.record.text;
    const auto image = static_cast<std::uint32_t>(payload.extra >> 32);
    if (m_functions.size() >= kMostFunctions || image > kMostNumbers) return;
    m_lastImage = std::max(m_lastImage, image);
    m_functions.insert_or_assign(
        FunctionKey{payload.handle, call.header().enterTicks},
        Function{payload.extra & 0xFFFF'FFFF, image, std::string(call.text(payload.textBytes))});
}

const std::map<CodePlaces::FunctionKey, CodePlaces::Function>::value_type* CodePlaces::functionAt(
    std::uint64_t pc, std::uint64_t ticks) const {
    // Of functions that lay at one address one after another the latest that was there counts.
    constexpr int kMostLooks = 64;
    auto at = m_functions.upper_bound({pc, ticks});
    for (int looks = 0; looks < kMostLooks && at != m_functions.begin(); ++looks) {
        --at;
        const auto& [begin, since] = at->first;
        if (since <= ticks && pc - begin < at->second.sizeBytes) return &*at;
    }
    return nullptr;
}

std::int64_t CodePlaces::placeOf(std::uint64_t kernelPc, std::uint32_t lowPc, std::uint64_t ticks) {
    if (kernelPc == 0) return 0;
    const std::uint64_t pc = widened(lowPc, kernelPc);
    const auto* found = functionAt(pc, ticks);
    if (found == nullptr) return 0;
    const std::uint64_t offset = pc - found->first.first;
    const auto known = m_places.find({&found->second, offset});
    if (known != m_places.end()) return known->second;
    if (m_places.size() >= kMostPlaces) return 0;
    const std::int64_t id = addPlace(found->second, offset);
    m_places.emplace(std::pair(&found->second, offset), id);
    return id;
}

std::int64_t CodePlaces::addPlace(const Function& function, std::uint64_t offset) {
    std::optional<symbols::DeviceLine> line;
    if (function.image != 0) line = linesOf(function.image).find(function.name, offset);
    const std::int64_t id = m_scope.sink.nextId("code_places");
    m_scope.sink.run(
        "INSERT INTO code_places(code_place_id, process_id, function, offset, file, line) "
        "VALUES(?,?,?,?,?,?)",
        id, m_scope.processId, function.name, static_cast<std::int64_t>(offset),
        line ? std::optional(line->file) : std::nullopt,
        line ? std::optional(static_cast<std::int64_t>(line->line)) : std::nullopt);
    return id;
}

const symbols::DeviceLines& CodePlaces::linesOf(std::uint32_t image) {
    const auto known = m_lines.find(image);
    if (known != m_lines.end()) return known->second;
    if (m_lines.size() >= kMostImages) m_lines.clear();
    symbols::DeviceLines& lines = m_lines[image];
    for (const std::filesystem::path& file : filesOf(image)) {
        if (lines.isEmpty()) lines = symbols::DeviceLines::read(file);
    }
    return lines;
}

// In the folder of the process's ring or in the session's other one (formats/arena.h).
std::vector<std::filesystem::path> CodePlaces::filesOf(std::uint32_t image) const {
    const std::filesystem::path& arena = m_scope.arena.path();
    constexpr std::string_view kArena = "arena-";
    std::string name = arena.filename().string();
    if (!name.starts_with(kArena)) return {};
    name = "code-" + name.substr(kArena.size()) + "-" + std::to_string(image);
    return {arena.parent_path() / name, arena.parent_path() / "fallback" / name};
}

}  // namespace vramscope::collector
