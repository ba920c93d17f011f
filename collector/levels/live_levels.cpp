// SPDX-License-Identifier: Apache-2.0
#include "collector/levels/live_levels.h"

#include <algorithm>
#include <string>

#include "collector/levels/step_series.h"

namespace vramscope::levels {
namespace {

using formats::Connection;
using formats::Statement;
using formats::Transaction;

/// Every change of live bytes: process, kind, time, difference; by process, kind and time. Buffers that were
/// never live, or were freed before the session's time 0, are no part of any step.
std::string changesQuery() {
    const std::string live =
        " FROM buffers WHERE size_bytes > 0 AND (free_ns IS NULL OR free_ns > max(alloc_ns, 0)) ";
    return "SELECT process_id, kind, max(alloc_ns, 0) AS time_ns, size_bytes" + live +
           "UNION ALL SELECT process_id, kind, free_ns, -size_bytes" + live +
           "AND free_ns IS NOT NULL ORDER BY process_id, kind, time_ns";
}

constexpr const char* kEnd =
    "SELECT max(coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'session_end_ns'), 0),"
    " coalesce((SELECT max(alloc_ns) FROM buffers), 0), coalesce((SELECT max(free_ns) FROM buffers), 0))";

/// The least power of two with which [0, endNs] takes at most kMostSteps steps.
std::int64_t widthFor(std::int64_t endNs) {
    std::int64_t width = 1;
    while (endNs / width >= kMostSteps)
        width *= 2;
    return width;
}

Status writeLevels(Statement& insert, std::int64_t processId, const std::string& kind,
                   std::vector<Step> steps) {
    for (int level = 0;; ++level) {
        for (std::size_t bucket = 0; bucket < steps.size(); ++bucket) {
            const Step& step = steps[bucket];
            if (step.max == 0) continue;
            VRAMSCOPE_RETURN_IF_ERROR(
                insert.runWith(level, bucket, processId, kind, step.min, step.max, step.last));
        }
        if (steps.size() == 1) return Status::ok();
        steps = coarsen(steps, kLevelFactor);
    }
}

Status writeAll(Connection& capture, StepSeries series) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement changes, capture.prepare(changesQuery()));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        Statement insert, capture.prepare("INSERT INTO live_levels VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
    std::int64_t processId = 0;
    std::string kind;  // no kind is empty: stands for "no row yet"
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, changes.step());
        if (!hasRow || changes.columnInt(0) != processId || changes.columnText(1) != kind) {
            if (!kind.empty())
                VRAMSCOPE_RETURN_IF_ERROR(writeLevels(insert, processId, kind, series.finish()));
            if (!hasRow) return Status::ok();
            processId = changes.columnInt(0);
            kind = changes.columnText(1);
        }
        series.add(changes.columnInt(2), changes.columnInt(3));
    }
}

}  // namespace

Status buildLiveLevels(Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Transaction transaction, Transaction::begin(capture));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto end, capture.queryInt(kEnd));
    const std::int64_t endNs = std::max<std::int64_t>(end.value_or(0), 0);
    const std::int64_t widthNs = widthFor(endNs);
    VRAMSCOPE_RETURN_IF_ERROR(capture.exec("DELETE FROM live_levels"));
    {
        VRAMSCOPE_ASSIGN_OR_RETURN(Statement meta,
                                   capture.prepare("INSERT OR REPLACE INTO meta VALUES (?1, ?2)"));
        VRAMSCOPE_RETURN_IF_ERROR(meta.runWith(kWidthKey, std::to_string(widthNs)));
    }
    VRAMSCOPE_RETURN_IF_ERROR(
        writeAll(capture, StepSeries(widthNs, static_cast<std::size_t>(endNs / widthNs + 1))));
    return transaction.commit();
}

}  // namespace vramscope::levels
