// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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

/// Is told about progress after each commit, at least every 200 ms of work; returns false to stop.
using SymboliseCallback = std::function<bool(const SymboliseProgress&)>;

/// Fills function, file, line and inlined of all frames that have no function and lie in a known module.
/// `capture` must be writable and outside a transaction. Memory does not grow with the capture. Can be
/// repeated.
StatusOr<SymboliseSummary> symboliseCapture(formats::Connection& capture, const SymbolizerOptions& options,
                                            const SymboliseCallback& callback);

}  // namespace vramscope::symbols
