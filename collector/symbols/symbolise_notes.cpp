// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collector/symbols/symbolise_capture.h"

namespace vramscope::symbols {
namespace {

constexpr std::size_t kFilesTold = 5;

SymboliseNote replacedNote(const std::vector<std::string>& files) {
    std::string message = files.size() == 1
                              ? "One program file was replaced on disk since the job loaded it, so its "
                                "functions have no names: "
                              : std::to_string(files.size()) +
                                    " program files were replaced on disk since the job loaded them, so "
                                    "their functions have no names: ";
    for (std::size_t i = 0; i < std::min(files.size(), kFilesTold); ++i)
        message += (i == 0 ? "" : ", ") + files[i];
    if (files.size() > kFilesTold) message += " and " + std::to_string(files.size() - kFilesTold) + " more";
    return {"program-files-replaced", message + "."};
}

}  // namespace

std::vector<SymboliseNote> notesOf(const SymboliseSummary& summary) {
    std::vector<SymboliseNote> notes;
    if (!summary.replacedFiles.empty()) notes.push_back(replacedNote(summary.replacedFiles));
    if (summary.isOverBudget) {
        notes.push_back({"symbols-over-budget",
                         "Reading debug information took too long and was stopped, so some functions are "
                         "shown without file and line."});
    }
    return notes;
}

}  // namespace vramscope::symbols
