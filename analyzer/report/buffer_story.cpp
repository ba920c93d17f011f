// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/buffer_story.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyzer/model/buffer_name.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

namespace vramscope::report {
namespace {

using model::Access;
using model::Buffer;
using model::Capture;

/// "all of it", or the bytes.
std::string rangeText(const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes) {
    if (offset == 0 && sizeBytes >= buffer.sizeBytes) return "all of it";
    return fmt::format("{} at offset {:#x}", model::countOf(sizeBytes, "byte"),
                       static_cast<std::uint64_t>(offset));
}

std::string toText(const Capture& capture, model::TaskId task) {
    return task.isNone() ? "every task" : std::string(capture.taskName(task));
}

std::string handOverText(const Capture& capture, const Buffer& buffer, const model::OwnershipChange& change) {
    const std::string range = rangeText(buffer, change.offset, change.sizeBytes);
    const std::string to = toText(capture, change.toTaskId);
    const std::string by = fmt::format(", by {}", capture.taskName(change.byTaskId));
    switch (change.kind) {
        case model::HandOver::Give:
            return fmt::format("{} given to {}{}", range, to, by);
        case model::HandOver::LendRead:
            return fmt::format("{} lent to {} for reading{}", range, to, by);
        case model::HandOver::LendWrite:
            return fmt::format("{} lent to {} for writing{}", range, to, by);
        case model::HandOver::LendEnd:
            return fmt::format("the loan of {} to {} ended{}", range, to, by);
    }
    return range;
}

std::string pieceText(const Capture& capture, const Buffer& buffer, const model::SubBuffer& piece) {
    const std::string range = rangeText(buffer, piece.offset, piece.sizeBytes);
    const std::string_view task = capture.taskName(piece.taskId);
    switch (piece.kind) {
        case model::PieceKind::Heap:
            return fmt::format("{} declared a heap{}", range,
                               piece.name.empty() ? "" : fmt::format(" \"{}\"", piece.name));
        case model::PieceKind::Block:
            return fmt::format("{} handed out to {}{}", range, task,
                               piece.name.empty() ? "" : fmt::format(" as \"{}\"", piece.name));
        case model::PieceKind::Region:
            break;
    }
    return fmt::format("{} named \"{}\" by {}", range, piece.name, task);
}

std::string accessText(const Capture& capture, const Buffer& buffer, const Access& access) {
    const std::string_view task = capture.taskName(access.taskId);
    const std::string what = access.what.empty() ? "a kernel" : std::string(access.what);
    std::string text;
    if (access.isArgument()) {
        text = fmt::format("{} launched {} with a pointer{} to it, offset {:#x} (argument)", task, what,
                           access.isReadOnly ? " to const" : "", static_cast<std::uint64_t>(access.offset));
    } else {
        text = fmt::format("{} {} {} with {} ({})", task, access.mayWrite ? "wrote" : "read",
                           rangeText(buffer, access.offset, access.sizeBytes), what,
                           access.isLaunch ? "instrumented" : "api");
        if (!access.rows.isOne())
            text += fmt::format(", the first of {} rows",
                                model::countText(access.rows.count * access.rows.slices));
    }
    if (access.callCount > 1) {
        text += fmt::format(", {} times until {}", model::countText(access.callCount),
                            model::momentText(access.lastNs));
    }
    return text;
}

bool isRepeat(const Access& before, const Access& access) {
    return before.taskId == access.taskId && before.what == access.what && before.offset == access.offset &&
           before.sizeBytes == access.sizeBytes && before.mayWrite == access.mayWrite &&
           before.isLaunch == access.isLaunch && before.stackId == access.stackId;
}

void addAccesses(const Capture& capture, const Buffer& buffer, const model::AccessList& list,
                 std::vector<BufferEvent>& events) {
    // Events that are told in between part the runs of one call.
    std::vector<std::int64_t> cutsNs;
    for (const BufferEvent& event : events)
        cutsNs.push_back(event.timeNs);
    std::sort(cutsNs.begin(), cutsNs.end());
    std::optional<Access> run;
    const auto tell = [&] {
        if (run) events.push_back({run->enterNs, "access", accessText(capture, buffer, *run), run->stackId});
        run.reset();
    };
    for (const Access& access : list.accesses) {
        if (!(access.bufferId == buffer.id)) continue;
        const auto cut = run ? std::upper_bound(cutsNs.begin(), cutsNs.end(), run->enterNs) : cutsNs.end();
        const bool isParted = cut != cutsNs.end() && *cut <= access.enterNs;
        if (run && !isParted && isRepeat(*run, access)) {
            run->callCount += access.callCount;
            run->lastNs = std::max(run->lastNs, access.lastNs);
        } else {
            tell();
            run = access;
        }
    }
    tell();
}

std::string endText(const Capture& capture, const Buffer& buffer) {
    switch (buffer.endKind) {
        case model::EndKind::ContextDestroyed:
            return "ended with its context";
        case model::EndKind::ProcessEnded:
            return "still live when its process ended";
        case model::EndKind::Unmapped:
            return fmt::format("unmapped with {}", buffer.freeApi);
        case model::EndKind::Freed:
        case model::EndKind::Live:
            break;
    }
    static_cast<void>(capture);
    return buffer.freeApi.empty() ? "its end was not seen" : fmt::format("freed with {}", buffer.freeApi);
}

std::string titleOf(const Capture& capture, const Buffer& buffer) {
    const model::Process* process = capture.processes.find(buffer.processId);
    return fmt::format("{}   {} of {}   {} pid {}",
                       namedText(capture, buffer, 0, std::min(buffer.freeNs, capture.endNs) - 1),
                       model::bytesText(buffer.sizeBytes), model::description(buffer.kind),
                       capture.programName(buffer.processId), process ? process->pid : 0);
}

Status badName(std::string_view text) {
    return {ErrorKind::Usage,
            fmt::format("`{}` names no buffer: give b<address>.<generation> as in reports, or an "
                        "address such as 0x7f2c40001200.",
                        text)};
}

}  // namespace

StatusOr<std::vector<const Buffer*>> buffersNamed(const Capture& capture, std::string_view text) {
    std::string_view rest = text;
    if (rest.starts_with('b')) rest.remove_prefix(1);
    if (rest.starts_with("0x") || rest.starts_with("0X")) rest.remove_prefix(2);
    std::uint64_t address = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), address, 16);
    if (error != std::errc() || end == rest.data()) return badName(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    std::int32_t generation = 0;
    if (rest.starts_with('.')) {
        const auto number = std::from_chars(rest.data() + 1, rest.data() + rest.size(), generation);
        if (number.ec != std::errc() || generation < 1) return badName(text);
        rest.remove_prefix(static_cast<std::size_t>(number.ptr - rest.data()));
    }
    if (!rest.empty()) return badName(text);
    std::vector<const Buffer*> found;
    for (const Buffer& b : capture.buffers) {
        const std::uint64_t offset = address - static_cast<std::uint64_t>(b.address);
        const bool holds = generation != 0 ? offset == 0 && b.generation == generation
                                           : offset == 0 || offset < static_cast<std::uint64_t>(b.sizeBytes);
        if (holds) found.push_back(&b);
    }
    if (found.empty())
        return Status(ErrorKind::Usage, fmt::format("{} has no buffer {}.", capture.path.string(), text));
    std::stable_sort(found.begin(), found.end(),
                     [](const Buffer* a, const Buffer* b) { return a->allocNs < b->allocNs; });
    return found;
}

std::vector<BufferEvent> lifeOf(const Capture& capture, const Buffer& buffer,
                                const model::AccessList& accesses) {
    std::vector<BufferEvent> events;
    events.push_back({buffer.allocNs, "allocated",
                      fmt::format("allocated by {} with {}", capture.taskName(buffer.taskId), buffer.api),
                      buffer.allocStackId});
    for (const model::SubBuffer& piece : capture.subBuffers) {
        if (!(piece.bufferId == buffer.id)) continue;
        const bool isNamed = piece.kind == model::PieceKind::Region;
        events.push_back({piece.startNs, isNamed ? "named" : "handed-out", pieceText(capture, buffer, piece),
                          piece.stackId});
        if (piece.endNs != model::kNever) {
            events.push_back({piece.endNs,
                              "handed-back",
                              fmt::format("{} given back", rangeText(buffer, piece.offset, piece.sizeBytes)),
                              {}});
        }
    }
    for (const model::OwnershipChange& change : capture.ownershipChanges) {
        if (!(change.bufferId == buffer.id)) continue;
        const bool isGift = change.kind == model::HandOver::Give;
        events.push_back({change.timeNs, isGift ? "given" : "lent", handOverText(capture, buffer, change),
                          change.stackId});
    }
    addAccesses(capture, buffer, accesses, events);
    if (buffer.freeNs != model::kNever)
        events.push_back({buffer.freeNs, "freed", endText(capture, buffer), buffer.freeStackId});
    std::stable_sort(events.begin(), events.end(),
                     [](const BufferEvent& a, const BufferEvent& b) { return a.timeNs < b.timeNs; });
    return events;
}

std::string bufferStory(const Capture& capture, const Buffer& buffer, const model::AccessList& accesses,
                        const std::vector<detectors::Finding>& findings, const ReportOptions& options) {
    std::string text = fmt::format("{}\n\n", options.style.heading(printable(titleOf(capture, buffer))));
    constexpr std::size_t kMostLines = 200;
    const std::vector<BufferEvent> events = lifeOf(capture, buffer, accesses);
    const std::size_t most = std::max(options.top, kMostLines);
    for (std::size_t i = 0; i < std::min(events.size(), most); ++i) {
        const BufferEvent& event = events[i];
        text +=
            wrapped(fmt::format("  {:>10}  ", model::momentText(event.timeNs)), printable(event.sentence));
        if (!event.stack.isNone()) {
            text += fmt::format("  {:>10}    {}\n", "",
                                options.style.quiet(printable(cut(shortPlace(capture, event.stack), 80))));
        }
    }
    if (events.size() > most)
        text += fmt::format("  {} more; --top {} shows them.\n", events.size() - most, events.size());
    if (!accesses.isWhole) text += "  There were too many calls to tell of all.\n";
    for (const detectors::Finding& finding : findings) {
        if (std::find(finding.buffers.begin(), finding.buffers.end(), buffer.id) == finding.buffers.end())
            continue;
        text += wrapped("  ", printable(fmt::format("{} ({}): {}", finding.rule, name(finding.confidence),
                                                    finding.sentence)));
    }
    return text + "\n";
}

nlohmann::ordered_json bufferStoryJson(const Capture& capture, const Buffer& buffer,
                                       const model::AccessList& accesses) {
    nlohmann::ordered_json events = nlohmann::ordered_json::array();
    for (const BufferEvent& event : lifeOf(capture, buffer, accesses)) {
        events.push_back({{"time_ns", event.timeNs},
                          {"kind", event.kind},
                          {"sentence", event.sentence},
                          {"place", event.stack.isNone() ? "" : shortPlace(capture, event.stack)}});
    }
    return {{"buffer", idText(buffer)},
            {"name", givenName(capture, buffer, 0, std::min(buffer.freeNs, capture.endNs) - 1)},
            {"size_bytes", buffer.sizeBytes},
            {"kind", model::description(buffer.kind)},
            {"is_whole", accesses.isWhole},
            {"events", events}};
}

}  // namespace vramscope::report
