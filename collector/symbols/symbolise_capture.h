// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collector/symbols/symbolizer.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::symbols {

/// How far symboliseCapture() is.
struct SymboliseProgress {
    std::uint64_t doneFrames = 0;
    std::uint64_t totalFrames = 0;
};

/// What symboliseCapture() did.
struct SymboliseSummary {
    std::uint64_t frames = 0;        ///< frames without a function that lie in a known module
    std::uint64_t withFunction = 0;  ///< of them, those that have one now
    std::uint64_t withLine = 0;      ///< of them, those that have a source line now
    std::vector<std::string>
        replacedFiles;          ///< modules whose file is another one by now, sorted, at most 100
    bool isOverBudget = false;  ///< debug information was left out because its time was used up
    bool isStopped = false;     ///< the callback asked to stop; what was done is kept
};

/// A sentence for the readers of a capture.
struct SymboliseNote {
    const char* code;  ///< stable short name
    std::string message;
};
/// What kept functions from getting their names, if anything.
std::vector<SymboliseNote> notesOf(const SymboliseSummary& summary);

/// Is told about progress after each commit, at least every 200 ms of work; returns false to stop.
using SymboliseCallback = std::function<bool(const SymboliseProgress&)>;

/// Root folders of processes that had another one than we have, by process id (ours, not the system's).
using ProcessRoots = std::map<std::int64_t, std::string>;

/// Fills function, file, line and inlined of all frames that have no function and lie in a known module.
/// `capture` must be writable and outside a transaction. Memory does not grow with the capture. Can be
/// repeated. A process without an entry in `roots` is looked up under options.root.
StatusOr<SymboliseSummary> symboliseCapture(formats::Connection& capture, const SymbolizerOptions& options,
                                            const SymboliseCallback& callback,
                                            const ProcessRoots& roots = {});

}  // namespace vramscope::symbols
