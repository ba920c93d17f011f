// SPDX-License-Identifier: Apache-2.0
#include "gui/models/related_findings.h"

#include <QCoreApplication>
#include <algorithm>

namespace vramscope::gui {
namespace {

using detectors::Finding;
using detectors::ForeignWrite;

constexpr const char* kAlias = "sharing.alias";
constexpr const char* kOverwrite = "corruption.overwrite";

bool speaksOf(const Finding& finding, const model::Buffer& buffer) {
    return std::ranges::find(finding.buffers, buffer.id) != finding.buffers.end();
}

/// An alias is called after the two tasks that hold the memory.
bool isBetween(const Finding& alias, const ForeignWrite& write, const model::Capture& capture) {
    const std::string owner(capture.taskName(write.owned.taskId));
    const std::string writer(capture.taskName(write.access->taskId));
    return alias.headline == owner + " and " + writer || alias.headline == writer + " and " + owner;
}

/// True for the write that an overwrite tells of.
bool isToldBy(const Finding& overwrite, const ForeignWrite& write) {
    return !overwrite.moments.empty() && overwrite.moments.back().timeNs == write.access->enterNs &&
           speaksOf(overwrite, *write.buffer);
}

bool haveOneCause(const Finding& alias, const Finding& overwrite, const Analysis& analysis) {
    if (alias.rule != kAlias || overwrite.rule != kOverwrite || !analysis.capture) return false;
    return std::ranges::any_of(analysis.foreignWrites, [&](const ForeignWrite& write) {
        return speaksOf(alias, *write.buffer) && isToldBy(overwrite, write) &&
               isBetween(alias, write, *analysis.capture);
    });
}

}  // namespace

std::vector<const Finding*> relatedTo(const Finding& finding, const Analysis& analysis) {
    std::vector<const Finding*> related;
    // Most rules have no such partner.
    if (finding.rule != kAlias && finding.rule != kOverwrite) return related;
    for (const Finding& other : analysis.findings) {
        if (haveOneCause(finding, other, analysis) || haveOneCause(other, finding, analysis))
            related.push_back(&other);
    }
    return related;
}

const Finding* mainOf(const Finding& finding, const Analysis& analysis) {
    if (finding.rule != kAlias) return nullptr;
    const auto related = relatedTo(finding, analysis);
    return related.empty() ? nullptr : related.front();
}

QString relationText(const Finding& related) {
    return related.rule == kAlias ? QCoreApplication::translate("RelatedFindings", "What made this possible:")
                                  : QCoreApplication::translate("RelatedFindings", "What came of this:");
}

}  // namespace vramscope::gui
