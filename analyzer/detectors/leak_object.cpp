// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/growth_curve.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/model/activity_clock.h"
#include "analyzer/model/units.h"

/// leak.object: textures, surfaces, streams, events, graphs, pools and context references that were made and
/// never destroyed.
namespace vramscope::detectors {
namespace {

/// Up to this many from one stack are set-up, not a leak.
constexpr std::int64_t kFewObjects = 2;

struct HeldObject {
    model::ProcessId processId;
    model::StackId stackId;
    model::ContextId contextId;
    std::string_view kind;
    std::int64_t createNs;
};

/// Context references count per context, since one for each device is normal; the others per stack alone.
using Key = std::tuple<model::ProcessId, model::StackId, std::string_view, model::ContextId>;

std::vector<HeldObject> heldObjects(const model::Capture& capture) {
    std::vector<HeldObject> held;
    for (const model::Object& o : capture.objects) {
        // Modules are loaded by the runtime for the program and stay by design.
        const bool stays = o.endKind == model::EndKind::Live || o.endKind == model::EndKind::ProcessEnded;
        if (!stays || o.kind == "module" || !mayHaveEndedByItself(capture, o.processId)) continue;
        held.push_back({o.processId, o.createStackId, o.contextId, o.kind, o.createNs});
    }
    for (const model::Pool& p : capture.pools) {
        const bool stays = p.endNs == model::kNever || p.endNs >= capture.endOf(p.processId);
        if (!stays || p.isDefault || !mayHaveEndedByItself(capture, p.processId)) continue;
        held.push_back({p.processId, p.createStackId, model::ContextId(), "memory pool", p.startNs});
    }
    return held;
}

std::string objectWord(std::string_view kind) {
    if (kind == "texture" || kind == "surface") return fmt::format("{} object", kind);
    if (kind == "graph-exec") return "executable graph";
    if (kind == "context-reference") return "context reference";
    return std::string(kind);
}

/// Libraries make their streams and events once and keep them, few or many; only a number that keeps rising
/// is a leak of theirs.
bool keepsRising(const model::Capture& capture, const std::vector<const HeldObject*>& objects) {
    const model::ActivityClock clock(capture, objects.front()->processId);
    GrowthCurve curve;
    for (const HeldObject* o : objects) {
        curve.keptAt.push_back(clock.at(o->createNs));
        curve.changes.push_back({curve.keptAt.back(), 1});
    }
    curve.endPosition = clock.end();
    return keepsGrowing(curve);
}

HeldClass classOf(const Evidence& evidence, const std::vector<const HeldObject*>& objects) {
    const model::Library& library =
        evidence.libraries.of(objects.front()->stackId, objects.front()->processId);
    const bool isLibrary =
        library.kind == model::LibraryKind::Framework || library.kind == model::LibraryKind::Compute;
    if (isLibrary && !keepsRising(evidence.capture, objects)) {
        return {FindingClass::LibraryWorkspace,
                fmt::format("{} makes its own once and keeps them; that is no leak.", library.name)};
    }
    if (static_cast<std::int64_t>(objects.size()) <= kFewObjects)
        return {FindingClass::OneTime, "So few do not add up over a longer run."};
    return {FindingClass::Leak, "Several came from one place, so more may pile up in a longer run."};
}

Finding describe(const Evidence& evidence, const std::vector<const HeldObject*>& objects) {
    const HeldObject& first = *objects.front();
    Finding finding;
    finding.rule = "leak.object";
    finding.count = static_cast<std::int64_t>(objects.size());
    finding.largestStackCount = finding.count;
    finding.processes = {first.processId};
    finding.stacks = {{"created", first.stackId}};
    HeldClass held = classOf(evidence, objects);
    finding.findingClass = held.findingClass;
    finding.because = held.because;
    finding.headline = model::countOf(finding.count, objectWord(first.kind));
    finding.sentence = fmt::format("{} created and never destroyed, all from one place.", finding.headline);
    if (finding.count == 1)
        finding.sentence = fmt::format("{} created and never destroyed.", finding.headline);
    finding.evidence.push_back(fmt::format("The first was made at {}, the last at {}.",
                                           model::momentText(first.createNs),
                                           model::momentText(objects.back()->createNs)));
    finding.evidence.push_back(std::move(held.because));
    setConfidenceAtExit(evidence, first.processId, first.stackId, finding);
    finding.wouldProveWrong = "It would not be a leak if the program means to keep them until it ends.";
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, first.stackId, first.kind);
    foldByLibrary(evidence, first.stackId, first.processId, finding);
    return finding;
}

}  // namespace

std::vector<Finding> findLeakedObjects(const Evidence& evidence) {
    std::vector<HeldObject> held = heldObjects(evidence.capture);
    std::stable_sort(held.begin(), held.end(),
                     [](const HeldObject& a, const HeldObject& b) { return a.createNs < b.createNs; });
    std::map<Key, std::vector<const HeldObject*>> groups;
    for (const HeldObject& o : held) {
        const bool perContext = o.kind == "context-reference";
        groups[{o.processId, o.stackId, o.kind, perContext ? o.contextId : model::ContextId()}].push_back(&o);
    }
    std::vector<Finding> findings;
    for (const auto& [key, objects] : groups) {
        const bool isRuntimesOwn = objects.front()->kind == "context-reference" &&
                                   static_cast<std::int64_t>(objects.size()) <= kFewObjects;
        if (!isRuntimesOwn) findings.push_back(describe(evidence, objects));
    }
    return findings;
}

}  // namespace vramscope::detectors
