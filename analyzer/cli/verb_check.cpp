// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/hand_over.h"
#include "analyzer/cli/nearest_word.h"
#include "analyzer/cli/verbs.h"
#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/rule_list.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/report/check_text.h"
#include "analyzer/report/report_json.h"

namespace vramscope::cli {
namespace {

struct Arguments {
    std::vector<std::string> files;
    bool isJson = false;
    bool showsNotes = false;
    std::string baselineFile;
    std::string newBaselineFile;
    std::string policyFile;
    report::SharingPolicy policy;
    std::int64_t mostPeakBytes = -1;
    report::GateOptions gate;
    ColourChoice colour = ColourChoice::Auto;
};

/// What the captures of one call add up to.
struct Totals {
    bool hasFailure = false;
    bool isUndecided = false;
    std::string baselineLines;
    std::set<std::string> baselineFingerprints;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
};

/// Everything that fails or is known now belongs into a new baseline, each fault once.
void addToBaseline(const model::Capture& capture, const report::GateResult& result, Totals& totals) {
    std::vector<const detectors::Finding*> kept;
    for (const report::JudgedFinding& judged : result.findings) {
        const bool belongs =
            judged.verdict == report::Verdict::Fails || judged.verdict == report::Verdict::Known;
        if (belongs && totals.baselineFingerprints.insert(judged.finding->fingerprint).second) {
            kept.push_back(judged.finding);
        }
    }
    std::string text = report::baselineText(capture, kept);
    if (!totals.baselineLines.empty())
        text.erase(0, text.find('\n') + 1);  // the heading stands there already
    totals.baselineLines += text;
}

Status checkOne(const std::string& file, const Arguments& arguments, Totals& totals) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto capture, model::loadCapture(file));
    report::PolicyUse policy(arguments.policy, *capture);
    const auto findings = detectors::detectAll(*capture, policy.filter());
    report::GateResult result = report::judge(*capture, findings, arguments.gate);
    result.allowed = policy.count();
    for (const std::string& sentence : result.notJudged)
        complain(fmt::format("{}: {}", report::printable(file), report::printable(sentence)));
    totals.hasFailure = totals.hasFailure || result.fails();
    totals.isUndecided = totals.isUndecided || result.isUndecided();
    if (!arguments.newBaselineFile.empty()) addToBaseline(*capture, result, totals);
    if (arguments.isJson)
        totals.json.push_back(report::checkJson(*capture, result));
    else
        print(report::checkText(*capture, result, styleFor(arguments.colour), arguments.showsNotes,
                                isInstalled(*ownerOf("open"))));
    return Status::ok();
}

Status writeBaseline(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::trunc);
    file << text;
    file.close();
    if (!file) return {ErrorKind::Usage, fmt::format("{}: the baseline could not be written.", path)};
    return Status::ok();
}

int complainAboutRule(const std::string& word) {
    std::vector<std::string> names;
    for (const detectors::KnownRule& rule : detectors::kKnownRules)
        names.emplace_back(rule.name);
    const std::string nearest = nearestWord(word, names);
    complain(fmt::format("there is no rule `{}`.{}", report::printable(word),
                         nearest.empty()
                             ? " docs/rules lists them; a family like `leak` names all of its own."
                             : fmt::format(" Did you mean `{}`?", nearest)));
    return kUsage;
}

int runCheck(Arguments& arguments) {
    for (const std::vector<std::string>* words : {&arguments.gate.failOn, &arguments.gate.allow}) {
        // A rule that is misspelt would never fail, and nobody would notice.
        if (const auto unknown = report::firstUnknownRule(*words)) return complainAboutRule(*unknown);
    }
    if (arguments.mostPeakBytes >= 0) arguments.gate.mostPeakBytes = arguments.mostPeakBytes;
    if (!arguments.baselineFile.empty()) {
        auto baseline = report::Baseline::load(arguments.baselineFile);
        if (!baseline.isOk()) return fail(baseline.status());
        arguments.gate.baseline = *baseline;
    }
    if (const Status status = readPolicy(arguments.policyFile, arguments.policy); !status.isOk())
        return fail(status);
    Totals totals;
    for (const std::string& file : arguments.files) {
        if (const Status status = checkOne(file, arguments, totals); !status.isOk()) {
            // A failure that is proven already outweighs a file that cannot be read.
            const int code = fail(status);
            return totals.hasFailure ? static_cast<int>(kGateFailed) : code;
        }
    }
    if (arguments.isJson) {
        const nlohmann::ordered_json json{{"schema", "vramscope/check/1"}, {"captures", totals.json}};
        print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    if (!arguments.newBaselineFile.empty()) {
        if (const Status status = writeBaseline(arguments.newBaselineFile, totals.baselineLines);
            !status.isOk()) {
            return fail(status);
        }
        complain(fmt::format("{} findings written to {}", totals.baselineFingerprints.size(),
                             arguments.newBaselineFile));
        return kFine;
    }
    if (totals.hasFailure) return kGateFailed;
    return totals.isUndecided ? kUnreadable : kFine;
}

void addGateOptions(CLI::App& verb, Arguments& arguments) {
    verb.add_option("--fail-on", arguments.gate.failOn,
                    "Rules or families that fail too, for example leak.at-exit")
        ->delimiter(',')
        ->type_name("RULE");
    verb.add_option("--allow", arguments.gate.allow, "Rules, families or fingerprints that never fail")
        ->delimiter(',')
        ->type_name("RULE");
    verb.add_option("--baseline", arguments.baselineFile, "Findings that are known and do not fail")
        ->type_name("FILE");
    verb.add_option("--write-baseline", arguments.newBaselineFile, "Write what fails now as the new baseline")
        ->type_name("FILE");
    addPolicyOption(verb, arguments.policyFile);
    verb.add_option("--max-peak", arguments.mostPeakBytes,
                    "Fail if more device memory was live, for example 40GiB")
        ->transform(CLI::AsSizeValue(false).description(""))
        ->type_name("BYTES");
}

}  // namespace

void addCheckVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb =
        app.add_subcommand("check", "Judge captures for CI: exit code 0 fine, 1 failed, 3 cannot be told");
    verb->footer(
        "  vramscope check train.vramscope\n"
        "  vramscope check tests/*.vramscope --fail-on leak.at-exit\n"
        "  vramscope check train.vramscope --write-baseline known.txt\n"
        "  vramscope check train.vramscope --baseline known.txt --max-peak 40GiB");
    auto arguments = std::make_shared<Arguments>();
    verb->add_option("FILE", arguments->files, "Captures")->required();
    verb->add_flag("--json", arguments->isJson, "One JSON object, schema vramscope/check/1");
    verb->add_flag("--notes", arguments->showsNotes, "List what is no problem too");
    addGateOptions(*verb, *arguments);
    addColourOption(*verb, arguments->colour);
    verb->callback([arguments, &exitCode] { exitCode = runCheck(*arguments); });
}

}  // namespace vramscope::cli
