// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/acting_options.h"

#include <cstdlib>

#include "collector/launcher/watch_option.h"

namespace vramscope::collector {

namespace {

constexpr const char* kUsualGuard = "512";
/// Digests of what is small cost a launch, not bandwidth.
constexpr const char* kParanoidWatch = "size<1048576";

std::string complaintAboutGuard(const std::string& text) {
    constexpr std::uint64_t kLeast = 16;
    constexpr std::uint64_t kMost = 1ull << 20;
    if (text == "slack") return "";
    const bool isNumber = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const std::uint64_t bytes = isNumber ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    if (bytes >= kLeast && bytes <= kMost) return "";
    return "a guard has 16 to 1048576 bytes, or is slack";
}

std::string complaintAboutWatch(const std::string& text) {
    const StatusOr<std::string> normalised = normalisedWatch(text);
    return normalised.isOk() ? "" : normalised.status().message();
}

}  // namespace

void ActingOptions::addTo(CLI::App& verb) {
    verb.add_option("--guard", guard,
                    "guard bytes behind each device allocation, checked while the job runs: their number "
                    "(512 if none is given), or slack for the bytes that the driver rounds up to")
        ->expected(0, 1)
        ->default_str(kUsualGuard)
        ->type_name("[BYTES|slack]")
        ->check(complaintAboutGuard, "");
    verb.add_flag("--guard-every-launch", guardsEveryLaunch,
                  "look at all guards behind each launch, so that a hit names it");
    verb.add_flag("--poison", poisons,
                  "fill new and freed device memory with NaN, so that the use of it shows");
    verb.add_option("--watch", watch,
                    "take digests of these buffers around the launches of other tasks: all, task:NAME, "
                    "name:NAME, buffer:ADDRESS, size>SIZE, size<SIZE, with a comma between")
        ->type_name("EXPR")
        ->check(complaintAboutWatch, "");
    verb.add_option("--perturb", perturbSeed,
                    "move placement, reuse and timing within what a driver may do, by this seed, so that "
                    "faults that hang on luck show; with guards")
        ->type_name("SEED");
    verb.add_flag("--paranoid", isParanoid,
                  "turn on what can be afforded, and say what it is expected to cost");
}

Status ActingOptions::settle(const std::string& recordMode, bool& launchStacks) {
    if (isParanoid) {
        if (watch.empty()) watch = kParanoidWatch;
        launchStacks = true;
    }
    if (guard.empty() && (isParanoid || guardsEveryLaunch || perturbSeed)) guard = kUsualGuard;
    if (watch.empty()) return Status::ok();
    if (recordMode != "all") {
        return {ErrorKind::Usage,
                "digests need what orders the work: --watch and --paranoid go with --record=all alone."};
    }
    VRAMSCOPE_ASSIGN_OR_RETURN(watch, normalisedWatch(watch));
    return Status::ok();
}

void ActingOptions::tell(EnvironmentChanges& changes) const {
    changes.emplace_back("VRAMSCOPE_GUARD", guard.empty() ? "0" : guard);
    changes.emplace_back("VRAMSCOPE_GUARD_EVERY_LAUNCH", guardsEveryLaunch ? "1" : "0");
    changes.emplace_back("VRAMSCOPE_POISON", poisons ? "1" : "0");
    changes.emplace_back("VRAMSCOPE_WATCH", watch);
    changes.emplace_back("VRAMSCOPE_PERTURB", perturbSeed ? std::to_string(*perturbSeed) : "");
}

std::string ActingOptions::expectedCost() const {
    if (!isParanoid) return {};
    return "vramscope: --paranoid: guard bytes, stacks of launches, and digests of buffers below 1 MiB "
           "around "
           "launches of other tasks.\n"
           "  Expect launches to take a few microseconds longer each, three times that where a task works "
           "beside watched buffers.\n";
}

}  // namespace vramscope::collector
