// SPDX-License-Identifier: Apache-2.0
#include "gui/session/preview.h"

#include <algorithm>
#include <charconv>

#include "analyzer/model/amounts.h"
#include "formats/capture_file.h"

namespace vramscope::gui {
namespace {

/// More steps than a recorder writes are not believed.
constexpr std::int64_t kMostSteps = 1 << 16;

std::int64_t numberOf(const std::string& text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return std::max<std::int64_t>(value, 0);
}

Status readMeta(formats::Connection& connection, Preview& preview) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement row,
                               connection.prepare("SELECT key, value FROM meta LIMIT 1000"));
    while (true) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
        if (!hasRow) break;
        preview.meta.emplace(row.columnText(0), row.columnText(1).substr(0, 4096));
    }
    preview.endNs = numberOf(preview.fact("session_end_ns"));
    return Status::ok();
}

Status readDevices(formats::Connection& connection, Preview& preview) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement row,
                               connection.prepare("SELECT name, total_bytes FROM devices LIMIT 64"));
    while (true) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
        if (!hasRow) return Status::ok();
        if (!preview.deviceNames.empty()) preview.deviceNames += ", ";
        preview.deviceNames += row.columnText(0).substr(0, 100);
        preview.deviceBytes =
            model::addClamped(preview.deviceBytes, std::max<std::int64_t>(row.columnInt(1), 0));
    }
}

Preview::Series& seriesOf(Preview& preview, model::BufferKind kind) {
    for (Preview::Series& series : preview.series) {
        if (series.kind == kind) return series;
    }
    return preview.series.emplace_back(Preview::Series{kind, std::vector<std::int64_t>(preview.stepCount)});
}

Status readLevels(formats::Connection& connection, Preview& preview) {
    preview.stepNs = numberOf(preview.fact("level0_width_ns"));
    if (preview.stepNs <= 0) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto last,
                               connection.queryInt("SELECT max(bucket) FROM live_levels WHERE level = 0"));
    preview.stepCount =
        static_cast<std::size_t>(std::clamp<std::int64_t>(last.value_or(-1) + 1, 0, kMostSteps));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement row,
        connection.prepare("SELECT bucket, kind, max_bytes FROM live_levels WHERE level = 0"));
    while (true) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
        if (!hasRow) break;
        const std::int64_t bucket = row.columnInt(0);
        const model::BufferKind kind = model::bufferKindFromName(row.columnText(1));
        if (bucket < 0 || bucket >= static_cast<std::int64_t>(preview.stepCount)) continue;
        if (!model::isOwnDeviceMemory(kind)) continue;
        std::int64_t& bytes = seriesOf(preview, kind).maxBytes[static_cast<std::size_t>(bucket)];
        bytes = model::addClamped(bytes, std::max<std::int64_t>(row.columnInt(2), 0));
    }
    if (preview.endNs == 0) {
        std::int64_t end = 0;
        if (!__builtin_mul_overflow(static_cast<std::int64_t>(preview.stepCount), preview.stepNs, &end))
            preview.endNs = end;
    }
    return Status::ok();
}

/// These lose stacks, names and launches; what holds memory is whole.
bool losesMemory(std::string_view reason) {
    return reason != "stack-table-full" && reason != "text-too-long" && reason != "launch-unseen";
}

Status readGaps(formats::Connection& connection, Preview& preview) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement row,
        connection.prepare("SELECT reason, lost_count, first_ns, last_ns FROM drops WHERE lost_count > 0 AND "
                           "first_ns IS NOT NULL LIMIT 1000"));
    while (true) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
        if (!hasRow) break;
        Preview::Gap gap;
        gap.reason = row.columnText(0).substr(0, 100);
        gap.eventCount = row.columnInt(1);
        gap.fromNs = std::max<std::int64_t>(row.columnInt(2), 0);
        gap.toNs = row.isNull(3) ? gap.fromNs : std::max(row.columnInt(3), gap.fromNs);
        gap.touchesMemory = losesMemory(gap.reason);
        preview.gaps.push_back(std::move(gap));
    }
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement window,
        connection.prepare("SELECT CAST(total(event_count) AS INTEGER), min(first_ns), max(last_ns) FROM "
                           "dropped_chunks WHERE event_count > 0"));
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, window.step());
    if (hasRow && window.columnInt(0) > 0)
        preview.gaps.push_back({std::max<std::int64_t>(window.columnInt(1), 0),
                                std::max(window.columnInt(2), window.columnInt(1)), window.columnInt(0),
                                "window", false});
    return Status::ok();
}

}  // namespace

std::string Preview::fact(const std::string& key) const {
    const auto at = meta.find(key);
    return at == meta.end() ? std::string() : at->second;
}

StatusOr<std::shared_ptr<const Preview>> loadPreview(const std::filesystem::path& path,
                                                     std::uint64_t wholeCheckBytes) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                               formats::openCaptureForReading(path, wholeCheckBytes));
    auto preview = std::make_shared<Preview>();
    preview->path = path;
    std::error_code error;
    preview->fileBytes = std::filesystem::file_size(path, error);
    VRAMSCOPE_RETURN_IF_ERROR(readMeta(connection, *preview));
    VRAMSCOPE_RETURN_IF_ERROR(readDevices(connection, *preview));
    VRAMSCOPE_RETURN_IF_ERROR(readLevels(connection, *preview));
    VRAMSCOPE_RETURN_IF_ERROR(readGaps(connection, *preview));
    return std::shared_ptr<const Preview>(std::move(preview));
}

}  // namespace vramscope::gui
