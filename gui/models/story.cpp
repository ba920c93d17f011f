// SPDX-License-Identifier: Apache-2.0
#include "gui/models/story.h"

#include <QCoreApplication>
#include <algorithm>

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
        tellStacks();
        if (m_rows.size() > 1) tellAll();
        if (m_sentences.size() > kMostSentences) m_sentences.resize(kMostSentences);
        return std::move(m_sentences);
    }

private:
    static constexpr std::size_t kMostSentences = 6;

    void add(std::optional<std::int64_t> timeNs, const QString& text, Selection target) {
        if (timeNs) target.timeNs = *timeNs;
        m_sentences.push_back({timeNs ? timeText(*timeNs) : QString(), text, std::move(target)});
    }

    Selection onBuffer(Row row) const {
        Selection target = m_from;
        target.buffer = {m_store.idOf(row)};
        target.stack = m_store.allocStackOf(row);
        target.page = Page::Buffers;
        target.filter = filterOf(m_finding);
        return target;
    }

    void tellFirst() {
        const Row row = m_rows.front();
        add(m_store.allocNs[row],
            tr("%1 allocates the first of them, %2 (%3).")
                .arg(toText(m_stacks.placeOf(m_store.allocStack[row])), toText(m_store.nameOf(row)),
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
            if (lastFree > 0) add(lastFree, tr("The last of them is freed."), target);
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

    void tellStacks() {
        for (const detectors::LabelledStack& stack : m_finding.stacks) {
            if (stack.stack.isNone()) continue;
            Selection target = m_from;
            target.stack = stack.stack;
            target.page = Page::Stacks;
            add(std::nullopt,
                tr("Where to look: %1 at %2.")
                    .arg(toText(stack.label), toText(m_stacks.placeOf(stack.stack.value))),
                target);
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

}  // namespace vramscope::gui
