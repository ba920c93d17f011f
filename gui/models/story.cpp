// SPDX-License-Identifier: Apache-2.0
#include "gui/models/story.h"

#include <QCoreApplication>
#include <algorithm>

#include "analyzer/model/stack_text.h"
#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Story", text);
}

/// The rows of a finding's buffers, in order of allocation.
std::vector<Row> rowsOf(const detectors::Finding& finding, const BufferStore& store) {
    std::vector<Row> rows;
    for (const model::BufferId buffer : finding.buffers) {
        const Row row = store.rowOf(buffer);
        if (row < store.bufferCount()) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), [&](Row a, Row b) { return store.allocNs[a] < store.allocNs[b]; });
    return rows;
}

QString filterOf(const detectors::Finding& finding) {
    return QStringLiteral("finding:") + toText(finding.fingerprint);
}

class StoryTeller {
public:
    StoryTeller(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                const Selection& from)
        : m_finding(finding),
          m_store(*sources.store),
          m_stacks(*sources.stacks),
          m_rows(rowsOf(finding, m_store)),
          m_from(selectionOf(finding, sources, from)) {}

    std::vector<StorySentence> tell() {
        if (!m_rows.empty()) {
            tellFirst();
            if (m_rows.size() > 2) tellMiddle();
            if (m_rows.size() > 1) tellLast();
            tellEnd();
        }
        tellMoments();
        std::stable_sort(m_sentences.begin(), m_sentences.end(),
                         [](const StorySentence& a, const StorySentence& b) { return a.timeNs < b.timeNs; });
        tellTimesApart();
        tellStacks();
        if (m_rows.size() > 1) tellAll();
        if (m_sentences.size() > kMostSentences) m_sentences.resize(kMostSentences);
        return std::move(m_sentences);
    }

private:
    static constexpr std::size_t kMostSentences = 6;

    void add(std::optional<std::int64_t> timeNs, const QString& text, Selection target) {
        if (timeNs) target.timeNs = *timeNs;
        m_sentences.push_back({timeNs ? timeText(*timeNs) : QString(), text, std::move(target),
                               timeNs.value_or(model::kNever)});
    }

    Selection onBuffer(Row row) const {
        Selection target = m_from;
        target.buffer = {m_store.idOf(row)};
        target.stack = m_store.allocStackOf(row);
        target.page = Page::Buffers;
        target.filter = filterOf(m_finding);
        return target;
    }

    /// The place, and who called it: a helper that everybody allocates through says little by itself.
    QString placeOf(model::StackId stack) const {
        const QString place = toText(m_stacks.placeOf(stack.value));
        const std::vector<model::FrameText> frames = model::toldFrames(m_stacks.facts(), stack, 2);
        const bool isInnermost = frames.size() > 1 && place.contains(toText(frames[0].function));
        if (!isInnermost || frames[1].place.empty()) return place;
        return tr("%1, called from %2 %3").arg(place, toText(frames[1].place), toText(frames[1].function));
    }

    void tellFirst() {
        const Row row = m_rows.front();
        const QString text =
            m_rows.size() == 1 ? tr("%1 allocates %2 (%3).") : tr("%1 allocates the first of them, %2 (%3).");
        add(m_store.allocNs[row],
            text.arg(toText(m_stacks.placeOf(m_store.allocStack[row])), toText(m_store.nameOf(row)),
                     bytesText(m_store.sizeBytes[row])),
            onBuffer(row));
    }

    void tellMiddle() {
        const Row row = m_rows[m_rows.size() / 2];
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i <= m_rows.size() / 2; ++i)
            bytes = model::addClamped(bytes, m_store.sizeBytes[m_rows[i]]);
        Selection target = m_from;
        target.range = {m_store.allocNs[m_rows.front()], m_store.allocNs[row] + 1};
        target.page = Page::Stacks;
        add(m_store.allocNs[row],
            tr("By now there are %1 of them, %2.")
                .arg(countText(static_cast<std::int64_t>(m_rows.size() / 2 + 1)), bytesText(bytes)),
            target);
    }

    void tellLast() {
        const Row row = m_rows.back();
        add(m_store.allocNs[row], tr("The last one, %1, comes.").arg(toText(m_store.nameOf(row))),
            onBuffer(row));
    }

    void tellEnd() {
        std::int64_t lastFree = 0;
        std::int64_t held = 0;
        std::int64_t heldBytes = 0;
        for (const Row row : m_rows) {
            if (m_store.endKind[row] == model::EndKind::Live ||
                m_store.endKind[row] == model::EndKind::ProcessEnded) {
                ++held;
                heldBytes = model::addClamped(heldBytes, m_store.sizeBytes[row]);
            } else if (m_store.freeNs[row] != model::kNever) {
                lastFree = std::max(lastFree, m_store.freeNs[row]);
            }
        }
        Selection target = m_from;
        if (held == 0) {
            // The rule may have told it already, and in better words.
            const auto tellsIt = [&](const detectors::DatedFact& fact) {
                const model::StackId stack = m_store.freeStackOf(m_rows.back());
                return fact.timeNs == lastFree || (!stack.isNone() && fact.stack == stack);
            };
            const bool isDated = std::ranges::any_of(m_finding.moments, tellsIt);
            if (lastFree > 0 && !isDated)
                add(lastFree, m_rows.size() == 1 ? tr("It is freed.") : tr("The last of them is freed."),
                    target);
            return;
        }
        target.page = Page::AddressMap;
        const std::int64_t end = m_stacks.facts().endOf({m_store.process[m_rows.front()]});
        // What is at the very end is already gone.
        add(std::max<std::int64_t>(end - 1, 0),
            held == 1 ? tr("The process ends and still holds it, %1.").arg(bytesText(heldBytes))
                      : tr("The process ends and still holds %1 of them, %2.")
                            .arg(countText(held), bytesText(heldBytes)),
            target);
    }

    /// What the rule itself dates: who wrote, and since when it was another's.
    void tellMoments() {
        for (const detectors::DatedFact& fact : m_finding.moments) {
            Selection target = m_from;
            if (!fact.stack.isNone()) target.stack = fact.stack;
            const bool isAboutRoom = m_finding.findingClass == detectors::FindingClass::Fit ||
                                     m_finding.findingClass == detectors::FindingClass::Recovered;
            target.page = isAboutRoom ? Page::AddressMap : Page::Owners;
            QString text = toText(fact.sentence);
            if (!fact.stack.isNone()) text += tr(" (%1)").arg(placeOf(fact.stack));
            add(fact.timeNs, text, target);
        }
    }

    /// As many digits as it takes to see what came first.
    void tellTimesApart() {
        for (std::int64_t resolutionNs = 1'000'000; resolutionNs >= 1; resolutionNs /= 1000) {
            bool isClear = true;
            for (std::size_t i = 0; i < m_sentences.size(); ++i) {
                m_sentences[i].when = timeText(m_sentences[i].timeNs, resolutionNs);
                if (i > 0 && m_sentences[i].timeNs != m_sentences[i - 1].timeNs)
                    isClear = isClear && m_sentences[i].when != m_sentences[i - 1].when;
            }
            if (isClear) return;
        }
    }

    bool isTold(model::StackId stack) const {
        return std::any_of(m_finding.moments.begin(), m_finding.moments.end(),
                           [&](const detectors::DatedFact& fact) { return fact.stack == stack; });
    }

    void tellStacks() {
        for (const detectors::LabelledStack& stack : m_finding.stacks) {
            if (stack.stack.isNone() || isTold(stack.stack)) continue;
            Selection target = m_from;
            target.stack = stack.stack;
            target.page = Page::Stacks;
            // "pinned by a block from" leads to the place by itself.
            const QString label = toText(stack.label);
            const QString words = label.endsWith(QLatin1String(" from")) ? tr("Where to look: %1 %2.")
                                                                         : tr("Where to look: %1 at %2.");
            add(std::nullopt, words.arg(label, placeOf(stack.stack)), target);
        }
    }

    void tellAll() {
        Selection target = m_from;
        target.page = Page::Buffers;
        target.filter = filterOf(m_finding);
        add(std::nullopt,
            tr("All %1 buffers, %2.")
                .arg(countText(static_cast<std::int64_t>(m_rows.size())), bytesText(m_finding.bytes)),
            target);
    }

    const detectors::Finding& m_finding;
    const BufferStore& m_store;
    const StackIndex& m_stacks;
    std::vector<Row> m_rows;
    Selection m_from;
    std::vector<StorySentence> m_sentences;
};

}  // namespace

Selection selectionOf(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                      Selection from) {
    from.finding = toText(finding.fingerprint);
    from.page = Page::Finding;
    from.buffer = finding.buffers.empty() ? model::BufferId() : finding.buffers.front();
    from.stack = finding.stacks.empty() ? model::StackId() : finding.stacks.front().stack;
    from.range = {};
    const bool hasSeveral = sources.stacks->facts().processes.size() > 1;
    if (hasSeveral && finding.processes.size() == 1) from.process = finding.processes.front();
    if (!finding.moments.empty()) {
        from.timeNs = finding.moments.back().timeNs;
        from.range = {finding.moments.front().timeNs, finding.moments.back().timeNs};
        return from;
    }
    const std::vector<Row> rows = rowsOf(finding, *sources.store);
    if (rows.empty()) return from;
    const std::int64_t firstNs = sources.store->allocNs[rows.front()];
    const std::int64_t lastNs = sources.store->allocNs[rows.back()];
    from.timeNs = lastNs;
    if (lastNs > firstNs) from.range = {firstNs, lastNs};
    return from;
}

std::vector<StorySentence> storyOf(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                                   const Selection& from) {
    return StoryTeller(finding, sources, from).tell();
}

std::optional<TimeRange> whenOf(const detectors::Finding& finding, const BufferStore& store) {
    if (!finding.moments.empty())
        return TimeRange{finding.moments.back().timeNs, finding.moments.back().timeNs};
    if (finding.buffers.empty()) return std::nullopt;
    const Row first = store.rowOf(finding.buffers.front());
    const Row last = store.rowOf(finding.buffers.back());
    if (first >= store.bufferCount() || last >= store.bufferCount()) return std::nullopt;
    return TimeRange{store.allocNs[first], store.allocNs[last]};
}

}  // namespace vramscope::gui
