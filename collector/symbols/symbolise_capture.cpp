// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/symbolise_capture.h"

#include <chrono>
#include <optional>

#include "collector/symbols/inlined_json.h"

namespace vramscope::symbols {
namespace {

using formats::Connection;
using formats::Statement;
using formats::Transaction;

constexpr const char* kFrames =
    " FROM frames JOIN modules USING (module_id) WHERE function IS NULL AND module_offset IS NOT NULL ";
constexpr auto kCommitEvery = std::chrono::milliseconds(150);
constexpr std::size_t kMostReplaced = 100;

/// One run over a capture. SQLite sorts all rows before it hands out the first, so that updating them on the
/// way is safe; the sort uses temporary files, not memory.
class Run {
public:
    Run(Connection& capture, const SymbolizerOptions& options, const SymboliseCallback& callback,
        const ProcessRoots& roots)
        : m_capture(capture), m_symbolizer(options), m_callback(callback), m_roots(roots) {}

    StatusOr<SymboliseSummary> run() {
        VRAMSCOPE_ASSIGN_OR_RETURN(const auto total,
                                   m_capture.queryInt(std::string("SELECT count(*)") + kFrames));
        m_summary.frames = static_cast<std::uint64_t>(total.value_or(0));
        VRAMSCOPE_ASSIGN_OR_RETURN(
            Statement rows,
            m_capture.prepare(std::string("SELECT frame_id, module_offset, path, coalesce(build_id, ''), "
                                          "modules.process_id") +
                              kFrames + "ORDER BY path, build_id, module_offset"));
        VRAMSCOPE_ASSIGN_OR_RETURN(Statement update,
                                   m_capture.prepare("UPDATE frames SET function = ?2, file = ?3, line = ?4, "
                                                     "inlined = ?5 WHERE frame_id = ?1"));
        VRAMSCOPE_RETURN_IF_ERROR(resolveAll(rows, update));
        m_summary.isOverBudget = m_symbolizer.isOverBudget();
        return std::move(m_summary);
    }

private:
    Status resolveAll(Statement& rows, Statement& update) {
        auto lastCommit = std::chrono::steady_clock::now();
        std::optional<Transaction> transaction;
        for (std::uint64_t done = 0;; ++done) {
            VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, rows.step());
            const auto now = std::chrono::steady_clock::now();
            if (transaction && (!hasRow || now - lastCommit >= kCommitEvery)) {
                VRAMSCOPE_RETURN_IF_ERROR(transaction->commit());
                transaction.reset();
                lastCommit = now;
                m_summary.isStopped = m_callback && !m_callback({done, m_summary.frames});
            }
            if (!hasRow || m_summary.isStopped) return Status::ok();
            if (!transaction) {
                VRAMSCOPE_ASSIGN_OR_RETURN(Transaction begun, Transaction::begin(m_capture));
                transaction.emplace(std::move(begun));
            }
            VRAMSCOPE_RETURN_IF_ERROR(resolveRow(rows, update));
        }
    }

    Status resolveRow(const Statement& row, Statement& update) {
        const std::uint64_t address = row.columnAddress(1);
        ModuleFile module{std::string(row.columnText(2)), std::string(row.columnText(3))};
        if (const auto root = m_roots.find(row.columnInt(4)); root != m_roots.end())
            module.root = root->second;
        // The processes of a job run the same program: each address is resolved once for all of them.
        if (module != m_module || address != m_address) {
            m_frame = m_symbolizer.resolve(module, address);
            if (m_frame.problem == ModuleProblem::OtherFile) noteReplaced(module.path);
            m_module = std::move(module);
            m_address = address;
        }
        if (m_frame.isEmpty()) return Status::ok();
        const SourcePlace& place = m_frame.place;
        m_summary.withFunction += place.function.empty() ? 0 : 1;
        m_summary.withLine += place.line == 0 ? 0 : 1;
        return update.runWith(row.columnInt(0), orNull(place.function), orNull(place.file),
                              place.line == 0 ? std::nullopt : std::optional(place.line),
                              inlinedJson(m_frame.inlined));
    }

    void noteReplaced(const std::string& path) {
        std::vector<std::string>& files = m_summary.replacedFiles;
        if (files.size() < kMostReplaced && (files.empty() || files.back() != path)) files.push_back(path);
    }

    static std::optional<std::string_view> orNull(const std::string& text) {
        return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
    }

    Connection& m_capture;
    Symbolizer m_symbolizer;
    const SymboliseCallback& m_callback;
    const ProcessRoots& m_roots;
    SymboliseSummary m_summary;
    ModuleFile m_module;
    std::uint64_t m_address = 0;
    ResolvedFrame m_frame;
};

}  // namespace

StatusOr<SymboliseSummary> symboliseCapture(Connection& capture, const SymbolizerOptions& options,
                                            const SymboliseCallback& callback, const ProcessRoots& roots) {
    return Run(capture, options, callback, roots).run();
}

}  // namespace vramscope::symbols
