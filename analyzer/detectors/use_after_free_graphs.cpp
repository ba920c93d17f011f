// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/model/address_space.h"
#include "analyzer/model/graph_nodes.h"
#include "analyzer/model/units.h"

/// corruption.use-after-free of graphs: a graph is launched whose nodes were made for a buffer that has been
/// freed since. Which buffer a node was made for is known from the moment it was made.
namespace vramscope::detectors {
namespace {

using model::Buffer;
using model::BufferKind;

/// One buffer that one graph goes on using.
struct StaleUse {
    const Buffer* buffer = nullptr;
    const model::GraphNode* node = nullptr;
    const model::GraphVersion* version = nullptr;
    std::int64_t launchCount = 0;
    const model::GraphLaunch* firstLaunch = nullptr;
    std::int64_t lastLaunchNs = 0;
    bool isProven = false;
};
using UseKey = std::tuple<model::ObjectId, model::BufferId>;  // executable graph, buffer

/// Memory whose address is given back and taken again on purpose: the same memory, or what was put in its
/// place, is there again.
bool mayComeBack(BufferKind kind) {
    return kind == BufferKind::Vmm || kind == BufferKind::Ipc || kind == BufferKind::Registered;
}

class Search {
public:
    explicit Search(const Evidence& evidence)
        : m_capture(evidence.capture), m_nodes(evidence.capture.graphs) {}

    std::map<UseKey, StaleUse> run() {
        for (const model::GraphLaunch& launch : m_capture.graphs.launches)
            look(launch, stateOf(launch));
        return std::move(m_found);
    }

    const Buffer* livesThereAt(const Buffer& buffer, std::int64_t timeNs) {
        const auto space = m_spaces.try_emplace(buffer.processId, m_capture, buffer.processId).first;
        return space->second.liveAt(buffer.address, timeNs);
    }

private:
    struct Target {
        const Buffer* buffer;
        const model::GraphNode* node;
        bool isArgument;
    };
    /// What a graph runs between two changes of it, reduced to buffers that were freed at some time.
    struct State {
        std::int64_t changeNs = -1;
        bool isCertain = true;
        std::vector<Target> targets;
    };

    const State& stateOf(const model::GraphLaunch& launch) {
        State& state = m_states[launch.execId];
        const std::int64_t changeNs = m_nodes.lastChangeAt(launch.execId, launch.enterNs);
        if (state.changeNs == changeNs) return state;
        state = {changeNs, true, {}};
        const model::RunningNodes running = m_nodes.at(launch.execId, launch.enterNs);
        state.isCertain = running.isCertain;
        const auto& graphs = m_capture.graphs;
        for (const model::GraphNode* node : running.nodes) {
            for (auto a = graphs.firstAddressOf(node->id);
                 a != graphs.addresses.end() && a->nodeId == node->id; ++a) {
                const Buffer* buffer = m_capture.buffers.find(a->bufferId);
                // What graphs allocate is made anew by each launch; what went with its context took the
                // graph along.
                const bool canBeStale = buffer && buffer->wasFreed() && buffer->kind != BufferKind::Graph;
                if (canBeStale) state.targets.push_back({buffer, node, a->isArgument});
            }
        }
        return state;
    }

    /// Freed for sure before the launch began: the freeing call had returned, and a free in the order of a
    /// stream is in that order before the launch.
    bool isOrdered(const Buffer& buffer, const model::GraphLaunch& launch, bool& isSure) const {
        const auto end = m_capture.graphs.bufferEnds.find(buffer.id.value);
        if (end == m_capture.graphs.bufferEnds.end() || end->second.freeExitNs >= launch.enterNs)
            return false;
        isSure = end->second.freeStreamId.isNone() || end->second.freeStreamId == launch.streamId;
        return true;
    }

    void look(const model::GraphLaunch& launch, const State& state) {
        std::set<model::BufferId> counted;
        for (const Target& target : state.targets) {
            bool isSure = false;
            const Buffer& buffer = *target.buffer;
            if (buffer.freeNs >= launch.enterNs || !isOrdered(buffer, launch, isSure)) continue;
            if (mayComeBack(buffer.kind)) {
                const Buffer* now = livesThereAt(buffer, launch.enterNs);
                if (now && now->kind == buffer.kind) continue;
            }
            StaleUse& use = m_found[{launch.execId, buffer.id}];
            const bool isProven = !target.isArgument && isSure && state.isCertain;
            if (!use.node || (isProven && !use.isProven)) {
                use.node = target.node;
                use.isProven = isProven;
            }
            use.buffer = &buffer;
            if (!use.firstLaunch) {
                use.firstLaunch = &launch;
                use.version = m_nodes.versionAt(launch.execId, launch.enterNs);
            }
            use.lastLaunchNs = launch.enterNs;
            if (counted.insert(buffer.id).second) ++use.launchCount;
        }
    }

    const model::Capture& m_capture;
    model::GraphNodes m_nodes;
    std::map<model::ProcessId, model::AddressSpace> m_spaces;
    std::map<model::ObjectId, State> m_states;
    std::map<UseKey, StaleUse> m_found;
};

std::string howItUses(const StaleUse& use) {
    const std::string_view kind = use.node->kind;
    if (kind == "kernel") {
        return fmt::format("Its node launches {} with a pointer to it.", use.node->kernelName.empty()
                                                                             ? std::string_view("a kernel")
                                                                             : use.node->kernelName);
    }
    return fmt::format("Its {} node names it itself.", kind);
}

Finding describe(const Evidence& evidence, const StaleUse& use, const Buffer* livesThere) {
    const Buffer& buffer = *use.buffer;
    Finding finding;
    finding.rule = "corruption.use-after-free";
    finding.findingClass = FindingClass::Corruption;
    const bool isProven = use.isProven && evidence.completeness.workIsWhole;
    finding.confidence = isProven ? evidence.fromAllocations() : Confidence::Possible;
    finding.processes = {buffer.processId};
    finding.buffers = {buffer.id};
    finding.bytes = buffer.sizeBytes;
    finding.count = use.launchCount;
    finding.headline =
        fmt::format("graph launched {} after the free",
                    use.launchCount == 1 ? std::string("once") : model::countOf(use.launchCount, "time"));
    finding.sentence = fmt::format(
        "A graph uses {}, which was freed before it was launched{}", bufferText(buffer),
        livesThere ? fmt::format("; b{:x}.{} lives there now.",
                                 static_cast<std::uint64_t>(livesThere->address), livesThere->generation)
                   : std::string("; nothing lives there now."));
    finding.evidence.push_back(fmt::format("It {}.", endText(buffer)));
    finding.evidence.push_back(howItUses(use));
    finding.evidence.push_back(fmt::format("The first such launch was at {}, the last at {}.",
                                           model::momentText(use.firstLaunch->enterNs),
                                           model::momentText(use.lastLaunchNs)));
    finding.moments = {
        {buffer.freeNs, "It is freed; the graph still names it.", buffer.freeStackId},
        {use.firstLaunch->enterNs,
         use.launchCount == 1 ? std::string("The graph is launched and uses it.")
                              : fmt::format("The graph is launched and uses it, the first of {}.",
                                            model::countOf(use.launchCount, "time")),
         use.firstLaunch->stackId}};
    if (use.version) finding.stacks.push_back({"graph instantiated or updated", use.version->stackId});
    finding.stacks.push_back({"freed", buffer.freeStackId});
    if (!use.node->stackId.isNone()) finding.stacks.push_back({"node made", use.node->stackId});
    if (!use.firstLaunch->stackId.isNone()) finding.stacks.push_back({"launched", use.firstLaunch->stackId});
    finding.stacks.push_back({"allocated", buffer.allocStackId});
    finding.wouldProveWrong =
        "It would be no fault if the node did not use the memory, or were meant to use whatever is there.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = isProven || use.isProven
                                    ? "A run without lost records would make it sure."
                                    : "That a kernel is given a pointer does not say that it uses it.";
    }
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, buffer.allocStackId,
                                        fmt::format("graph {}", use.isProven ? "names it" : "is given it"));
    return finding;
}

}  // namespace

std::vector<Finding> findGraphsUsingFreedMemory(const Evidence& evidence) {
    if (evidence.capture.graphs.launches.empty()) return {};
    Search search(evidence);
    std::vector<Finding> findings;
    for (const auto& [key, use] : search.run()) {
        findings.push_back(
            describe(evidence, use, search.livesThereAt(*use.buffer, use.firstLaunch->enterNs)));
    }
    return findings;
}

}  // namespace vramscope::detectors
