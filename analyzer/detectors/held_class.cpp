// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/held_class.h"

#include <fmt/format.h>

namespace vramscope::detectors {

void judgeHeld(const Evidence& evidence, model::ProcessId process, model::StackId stack, Finding& finding) {
    HeldClass held = classOfHeld(evidence.libraries.of(stack, process), finding.count);
    finding.findingClass = held.findingClass;
    finding.because = held.because;
    finding.evidence.push_back(std::move(held.because));
    setConfidenceAtExit(evidence, process, stack, finding);
    foldByLibrary(evidence, stack, process, finding);
}

HeldClass classOfHeld(const model::Library& library, std::int64_t count) {
    switch (library.kind) {
        case model::LibraryKind::Framework:
            return {FindingClass::PoolCache,
                    fmt::format("{} keeps its memory for reuse until the process ends; that is no leak.",
                                library.name)};
        case model::LibraryKind::Compute:
            return {
                FindingClass::LibraryWorkspace,
                fmt::format("{} keeps a workspace from its first use on; that is no leak.", library.name)};
        case model::LibraryKind::Program:
        case model::LibraryKind::Plumbing:
            break;
    }
    if (count == 1) {
        return {FindingClass::OneTime, "It was made once, so it does not add up over a longer run."};
    }
    return {FindingClass::Leak, "Several came from one place, so more may pile up in a longer run."};
}

namespace {

Confidence confidenceAtExit(const Evidence& evidence, model::ProcessId process, model::StackId stack,
                            Finding& finding) {
    if (stack.isNone()) {
        finding.evidence.emplace_back("No stack was recorded for it, so who asked for it is not known.");
        return Confidence::Possible;
    }
    const model::Process* row = evidence.capture.processes.find(process);
    if (row && row->isEndUnknown()) {
        finding.evidence.push_back(
            row->endKind == "running"
                ? fmt::format("pid {} was still running when recording ended, so it may yet give it back.",
                              row->pid)
                : fmt::format("Nobody could say how pid {} ended, so it may have been killed before its "
                              "cleanup.",
                              row->pid));
        return Confidence::Possible;
    }
    if (row && row->exitCode.value_or(0) != 0) {
        finding.evidence.push_back(fmt::format(
            "pid {} ended with code {}, so it may not have reached its cleanup.", row->pid, *row->exitCode));
        return Confidence::Possible;
    }
    return evidence.fromAllocations();
}

}  // namespace

void setConfidenceAtExit(const Evidence& evidence, model::ProcessId process, model::StackId stack,
                         Finding& finding) {
    finding.confidence = confidenceAtExit(evidence, process, stack, finding);
    if (finding.confidence == Confidence::Proven) return;
    finding.wouldMakeSure =
        "A run with stacks that ends with code 0 and loses no records would make it sure.";
}

void foldByLibrary(const Evidence& evidence, model::StackId stack, model::ProcessId process,
                   Finding& finding) {
    const bool isKept = finding.findingClass == FindingClass::PoolCache ||
                        finding.findingClass == FindingClass::LibraryWorkspace;
    if (!isKept) return;
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, model::StackId(),
                                        evidence.libraries.of(stack, process).name);
}

bool mayHaveEndedByItself(const model::Capture& capture, model::ProcessId process) {
    const model::Process* row = capture.processes.find(process);
    return row && (row->endedByItself() || row->isEndUnknown());
}

}  // namespace vramscope::detectors
