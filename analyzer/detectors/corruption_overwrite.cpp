// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "analyzer/detectors/foreign_writes.h"
#include "analyzer/detectors/kernel_text.h"
#include "analyzer/model/buffer_name.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

/// corruption.overwrite: a task wrote what another owns.
namespace vramscope::detectors {
namespace {

using model::Access;
using model::Buffer;

/// Writes of one task into another's buffers of one place, by one call or kernel.
struct Group {
    std::vector<const ForeignWrite*> writes;  ///< by time

    /// The one to tell about: the earliest that is proven, else the one that says most.
    template <typename IsProven>
    const ForeignWrite& told(IsProven isProven) const {
        const auto proven = std::find_if(writes.begin(), writes.end(),
                                         [&](const ForeignWrite* write) { return isProven(*write); });
        if (proven != writes.end()) return **proven;
        const auto rank = [](const ForeignWrite* write) {
            return std::tuple(write->access->digestChange < 0, !write->wasUsedBefore, write->isUnsettled);
        };
        return **std::min_element(
            writes.begin(), writes.end(),
            [&](const ForeignWrite* a, const ForeignWrite* b) { return rank(a) < rank(b); });
    }
};
using GroupKey = std::tuple<model::TaskId, model::TaskId, std::int64_t, std::string_view, bool>;

GroupKey keyOf(const ForeignWrite& write) {
    // Buffers of one stack are one thing made many times; without a stack each is its own.
    const model::StackId stack = write.buffer->allocStackId;
    const std::int64_t place = stack.isNone() ? -2 - write.buffer->id.value : stack.value;
    return {write.owned.taskId, write.access->taskId, place, write.access->what, write.access->isArgument()};
}

const model::DigestChange* digestOf(const model::Capture& capture, const Access& access) {
    const auto index = static_cast<std::size_t>(access.digestChange);
    return index < capture.digestChanges.size() ? &capture.digestChanges[index] : nullptr;
}

/// Other processes write when they like what they have mapped.
bool isWriterKnown(const model::Capture& capture, const model::DigestChange& change) {
    return change.isWriterKnown && capture.ordering.isJudged &&
           std::none_of(capture.ipcHandles.begin(), capture.ipcHandles.end(),
                        [&](const model::IpcHandle& handle) { return handle.bufferId == change.bufferId; });
}

bool isProvenBy(const Evidence& evidence, const ForeignWrite& write, const model::TaskTimeline& tasks) {
    const Access& access = *write.access;
    // Work that carries no mark is the process's, whose tasks these are.
    const bool isUnmarked =
        access.taskId == tasks.ownTaskOf(access.processId) && access.processId == write.buffer->processId;
    // To export memory may be meant as a loan, unless the program says what is lent.
    const bool isMeantToBeShared = write.isThroughImport && !(write.isDeclared && write.isOriginSure);
    const model::DigestChange* digest = digestOf(evidence.capture, access);
    const bool isSeen =
        !access.isArgument() || (digest != nullptr && isWriterKnown(evidence.capture, *digest));
    return isSeen && !isUnmarked && !isMeantToBeShared && !write.isUnsettled && write.wasUsedBefore &&
           isSure(write.owned.basis) && isSure(access.basis) && evidence.completeness.workIsWhole &&
           evidence.completeness.allocationsAreWhole;
}

std::string whereText(const ForeignWrite& write) {
    const auto offset = static_cast<std::uint64_t>(write.owned.offset);
    if (write.access->digestChange >= 0) return "somewhere in it";
    if (write.access->isArgument()) return fmt::format("from offset {:#x} on", offset);
    const std::string bytes = model::countOf(write.bytes, "byte");
    if (write.bytes > write.owned.sizeBytes)
        return fmt::format("{} in rows from offset {:#x} on", bytes, offset);
    return fmt::format("{} at offset {:#x}", bytes, offset);
}

std::string callText(const Access& access) {
    if (!access.isLaunch) return std::string(access.what);
    const std::string_view name = access.what.empty() ? std::string_view("a kernel") : access.what;
    return fmt::format("kernel {}", name);
}

std::string loanText(const model::Capture& capture, const ForeignWrite& write) {
    const std::string_view writer = capture.taskName(write.access->taskId);
    if (write.isLentReadOnly) return fmt::format("It is lent to {} for reading only.", writer);
    if (write.wasLentBefore) return fmt::format("A loan to {} had ended by then.", writer);
    return fmt::format("It was never given or lent to {}.", writer);
}

void tellDigest(const model::Capture& capture, const model::DigestChange& digest, Finding& finding) {
    finding.evidence.push_back("Digests right before and right behind the launch, on its stream, differ.");
    if (isWriterKnown(capture, digest)) {
        finding.evidence.push_back("No other work that may write it ran between them.");
        return;
    }
    std::string others;
    for (const std::string_view other : digest.others)
        others.append(others.empty() ? "" : ", ").append(other);
    finding.evidence.push_back(
        others.empty() ? "What else may have written it between them is not known for certain."
                       : fmt::format("Others that may have written it between them: {}.", others));
}

/// Which lines of the kernel wrote the owner's bytes: the ends of what it wrote have one each.
void tellPlaces(const ForeignWrite& write, Finding& finding) {
    const Access& access = *write.access;
    const std::string first = write.owned.offset == access.offset ? placeText(access.firstPlace) : "";
    const std::string last = write.owned.end() == access.end() ? placeText(access.lastPlace) : "";
    if (!first.empty() && first == last)
        finding.evidence.push_back(fmt::format("It wrote both at {}.", first));
    else if (!first.empty())
        finding.evidence.push_back(fmt::format("It wrote the first of them at {}.", first));
    if (!last.empty() && first != last)
        finding.evidence.push_back(fmt::format("It wrote the last of them at {}.", last));
}

void tellEvidence(const model::Capture& capture, const Group& group, const ForeignWrite& write,
                  Finding& finding) {
    const Access& access = *write.access;
    finding.evidence.push_back(fmt::format(
        "{} at {}{}.", callText(access), model::momentText(access.enterNs),
        finding.count > 1 ? fmt::format(", the first of {}", model::countText(finding.count)) : ""));
    if (access.isInstrumented)
        finding.evidence.push_back(
            "The kernel's accesses were seen: it wrote the first and the last of these bytes.");
    tellPlaces(write, finding);
    if (const model::DigestChange* digest = digestOf(capture, access)) {
        tellDigest(capture, *digest, finding);
    } else if (access.isArgument()) {
        finding.evidence.push_back(
            "The kernel was given a pointer to it that is not known to be to const; what it did there was "
            "not "
            "seen.");
    }
    if (write.isThroughAlias)
        finding.evidence.push_back("It was written through another mapping of the same physical memory.");
    if (write.isThroughImport) {
        finding.evidence.push_back(
            fmt::format("It was written in another process, through an import of the owner's memory{}.",
                        write.isOriginSure ? "" : "; whose memory that is was told by size and order alone"));
    }
    if (write.isUnordered)
        finding.evidence.emplace_back("Nothing orders the write against the owner's use of the same bytes.");
    finding.evidence.push_back(fmt::format("Owner {} since {}. {}", capture.taskName(write.owned.taskId),
                                           model::momentText(write.owned.sinceNs), loanText(capture, write)));
    finding.evidence.push_back(write.wasUsedBefore ? "The owner had used these bytes before."
                                                   : "The owner was not seen to use these bytes before.");
    if (group.writes.size() > 1 && finding.buffers.size() > 1)
        finding.evidence.push_back(
            fmt::format("{} are written so.",
                        model::countOf(static_cast<std::int64_t>(finding.buffers.size()), "buffer")));
}

void addUp(const Group& group, Finding& finding) {
    // What a digest saw is not counted again for the pointer that the launch was given.
    const bool hasDigests =
        std::any_of(group.writes.begin(), group.writes.end(),
                    [](const ForeignWrite* write) { return write->access->digestChange >= 0; });
    for (const ForeignWrite* write : group.writes) {
        if (hasDigests && write->access->isArgument() && write->access->digestChange < 0) continue;
        finding.count = model::addClamped(finding.count, write->access->callCount);
        const auto isKnown = [](const auto& ids, auto id) {
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        };
        if (!isKnown(finding.buffers, write->buffer->id)) finding.buffers.push_back(write->buffer->id);
        for (const model::ProcessId process : {write->buffer->processId, write->access->processId}) {
            if (!isKnown(finding.processes, process)) finding.processes.push_back(process);
        }
    }
    finding.largestStackCount = finding.count;
}

std::string_view howToBeSure(const ForeignWrite& write) {
    if (write.access->digestChange >= 0)
        return "Work that waits for each other, or --engine exact, would make it sure.";
    if (write.access->isArgument())
        return "--watch would show whether the launch changed it, and --engine exact what it wrote.";
    if (write.isThroughImport && !write.isDeclared)
        return "Exporting the memory may be meant as a loan; vramscope_lend in the exporter would say of "
               "what.";
    return "Marks around the work of both tasks and a record without gaps would make it sure.";
}

Finding describe(const Evidence& evidence, const Group& group, const model::TaskTimeline& tasks) {
    const model::Capture& capture = evidence.capture;
    const auto isProven = [&](const ForeignWrite& one) { return isProvenBy(evidence, one, tasks); };
    const ForeignWrite& write = group.told(isProven);
    const Access& access = *write.access;
    const std::string_view owner = capture.taskName(write.owned.taskId);
    const std::string_view writer = capture.taskName(access.taskId);
    Finding finding;
    finding.rule = "corruption.overwrite";
    finding.findingClass = FindingClass::Corruption;
    finding.confidence = isProven(write) ? Confidence::Proven : Confidence::Possible;
    addUp(group, finding);
    finding.bytes = write.bytes;
    const std::string_view given = givenName(capture, *write.buffer, write.owned.offset, access.enterNs);
    finding.headline = fmt::format("{} in {}'s {}", writer, owner,
                                   given.empty() ? idText(*write.buffer) : std::string(given));
    finding.sentence = fmt::format(
        "{} {} {}'s buffer {} ({}), {}.", writer,
        finding.confidence == Confidence::Possible && access.isArgument() ? "may have written" : "wrote",
        owner, namedText(capture, *write.buffer, write.owned.offset, access.enterNs),
        model::bytesText(write.buffer->sizeBytes), whereText(write));
    tellEvidence(capture, group, write, finding);
    finding.stacks = {{fmt::format("owned by {}, from", owner), write.owned.stackId}};
    if (!access.stackId.isNone())
        finding.stacks.insert(finding.stacks.begin(), {fmt::format("written by {}", writer), access.stackId});
    finding.moments = {
        {write.owned.sinceNs, fmt::format("{} owns it from here on.", owner), write.owned.stackId},
        {access.enterNs,
         fmt::format("{} of {} {} {}.", callText(access), writer,
                     access.isArgument() && access.digestChange < 0
                         ? "is given a pointer to it, which may write"
                         : "writes",
                     whereText(write)),
         access.stackId}};
    finding.wouldProveWrong =
        fmt::format("It would be no fault if {} means to share it: then it can give or lend it.", owner);
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = howToBeSure(write);
    }
    if (access.stackId.isNone()) {
        finding.wouldMakeSure += finding.wouldMakeSure.empty() ? "" : " ";
        finding.wouldMakeSure += "--launch-stacks would show where it was called.";
    }
    finding.fingerprint = fingerprintOf(capture, finding.rule, write.owned.stackId,
                                        fmt::format("{}\n{}\n{}", owner, writer, callText(access)));
    return finding;
}

using Groups = std::map<GroupKey, Group>;

/// What was seen is not hinted at again for kernels between the same two. But what a digest proves is told
/// beside a copy that proves nothing.
template <typename IsProven>
bool isToldAlready(const GroupKey& key, const Groups& groups, IsProven isProven) {
    const auto& [owner, writer, place, what, isArgument] = key;
    if (!isArgument) return false;
    const bool addsProof = isProven(groups.at(key));
    return std::any_of(groups.begin(), groups.end(), [&](const auto& other) {
        return std::get<0>(other.first) == owner && std::get<1>(other.first) == writer &&
               std::get<2>(other.first) == place && !std::get<4>(other.first) &&
               (!addsProof || isProven(other.second));
    });
}

}  // namespace

std::vector<Finding> findOverwrites(const Evidence& evidence) {
    const std::vector<ForeignWrite> writes = foreignWrites(evidence);
    Groups groups;
    for (const ForeignWrite& write : writes)
        groups[keyOf(write)].writes.push_back(&write);
    const model::TaskTimeline tasks(evidence.capture);
    const auto isProven = [&](const Group& group) {
        return std::any_of(group.writes.begin(), group.writes.end(),
                           [&](const ForeignWrite* write) { return isProvenBy(evidence, *write, tasks); });
    };
    std::vector<Finding> findings;
    for (const auto& [key, group] : groups) {
        if (!isToldAlready(key, groups, isProven)) findings.push_back(describe(evidence, group, tasks));
    }
    return findings;
}

}  // namespace vramscope::detectors
