// SPDX-License-Identifier: Apache-2.0
#include "gui/models/buffer_filter.h"

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

bool compare(FilterRelation relation, std::int64_t value, std::int64_t wanted) {
    switch (relation) {
        case FilterRelation::Less:
            return value < wanted;
        case FilterRelation::AtMost:
            return value <= wanted;
        case FilterRelation::More:
            return value > wanted;
        case FilterRelation::AtLeast:
            return value >= wanted;
        case FilterRelation::Equal:
        case FilterRelation::Contains:
            return value == wanted;
    }
    return false;
}

bool matches(const FilterTerm& term, std::string_view text) {
    if (term.relation == FilterRelation::Equal)
        return toText(text).compare(term.text, Qt::CaseInsensitive) == 0;
    return toText(text).contains(term.text, Qt::CaseInsensitive);
}

}  // namespace

BufferFilter::BufferFilter(Sources sources, const ParsedFilter& filter, const Selection& selection)
    : m_sources(std::move(sources)) {
    m_endNs = std::max(m_sources.store->lastNs, m_sources.stacks->facts().endNs);
    addScope(selection);
    for (const FilterTerm& term : filter.terms)
        addTerm(term);
}

void BufferFilter::addScope(const Selection& selection) {
    const auto addId = [this](FilterKey key, std::int64_t id) {
        Term term;
        term.term.key = key;
        term.ids.insert(id);
        m_terms.push_back(std::move(term));
    };
    if (!selection.process.isNone()) addId(FilterKey::Process, selection.process.value);
    if (!selection.device.isNone()) addId(FilterKey::Device, selection.device.value);
    if (!selection.task.isNone()) addId(FilterKey::Task, selection.task.value);
}

void BufferFilter::addTerm(const FilterTerm& filterTerm) {
    Term term;
    term.term = filterTerm;
    const model::Capture& facts = m_sources.stacks->facts();
    switch (filterTerm.key) {
        case FilterKey::Text:
        case FilterKey::Stack:
            prepareText(term);
            break;
        case FilterKey::Library:
            prepareLibrary(term);
            break;
        case FilterKey::Process:
            prepareProcesses(term);
            break;
        case FilterKey::Device:
            for (const model::Device& device : facts.devices) {
                if (filterTerm.text == QString::number(device.id.value) || matches(filterTerm, device.name))
                    term.ids.insert(device.id.value);
            }
            break;
        case FilterKey::Task:
            for (const model::Task& task : facts.tasks) {
                if (matches(filterTerm, task.name)) term.ids.insert(task.id.value);
            }
            break;
        case FilterKey::Api:
            for (int api = 0; api < 256; ++api) {
                const bool isKnown = api < m_sources.store->apis.size();
                term.fits.push_back(isKnown && matches(filterTerm, m_sources.store->apis.word(
                                                                       static_cast<std::uint8_t>(api))));
            }
            break;
        case FilterKey::Kind:
            term.term.number =
                static_cast<std::int64_t>(model::bufferKindFromName(filterTerm.text.toStdString()));
            break;
        case FilterKey::Finding:
            prepareFindings(term);
            break;
        default:
            break;
    }
    m_terms.push_back(std::move(term));
}

void BufferFilter::prepareText(Term& term) const {
    const model::Capture& facts = m_sources.stacks->facts();
    term.fits = m_sources.stacks->stacksWith([&](const model::Frame& frame) {
        if (matches(term.term, frame.function) || matches(term.term, frame.file)) return true;
        const model::Module* module = facts.modules.find(frame.moduleId);
        return module && matches(term.term, module->path);
    });
}

void BufferFilter::prepareLibrary(Term& term) const {
    const model::Capture& facts = m_sources.stacks->facts();
    for (const model::Stack& stack : facts.stacks)
        term.fits.push_back(matches(term.term, m_sources.stacks->libraryOf(stack.id.value, {})));
    for (const model::Process& process : facts.processes) {
        if (matches(term.term, facts.programName(process.id))) term.ids.insert(process.id.value);
    }
}

void BufferFilter::prepareProcesses(Term& term) const {
    for (const model::Process& process : m_sources.stacks->facts().processes) {
        if (term.term.text == QString::number(process.pid) ||
            (term.term.relation == FilterRelation::Contains && matches(term.term, process.command)))
            term.ids.insert(process.id.value);
    }
}

void BufferFilter::prepareFindings(Term& term) const {
    if (!m_sources.analysis) return;
    const std::string wanted = term.term.text.toStdString();
    for (const detectors::Finding& finding : m_sources.analysis->findings) {
        const bool isWanted = finding.fingerprint == wanted || finding.rule == wanted ||
                              std::string_view(finding.rule).starts_with(wanted + ".");
        if (!isWanted) continue;
        for (const model::BufferId buffer : finding.buffers)
            term.ids.insert(buffer.value);
    }
}

bool BufferFilter::stackFits(const Term& term, std::int32_t stack) const {
    const std::int64_t position = m_sources.stacks->positionOf(stack);
    return position >= 0 && term.fits[static_cast<std::size_t>(position)];
}

bool BufferFilter::fits(Row row) const {
    for (const Term& term : m_terms) {
        if (holds(term, row) == term.term.isNegated) return false;
    }
    return true;
}

bool BufferFilter::holds(const Term& term, Row row) const {
    const BufferStore& s = *m_sources.store;
    const FilterTerm& t = term.term;
    switch (t.key) {
        case FilterKey::Size:
            return compare(t.relation, s.sizeBytes[row], t.number);
        case FilterKey::Age:
            return compare(t.relation, std::min(s.freeNs[row], m_endNs) - s.allocNs[row], t.number);
        case FilterKey::Time:
            return compare(t.relation, s.allocNs[row], t.number);
        case FilterKey::Freed:
            return s.freeNs[row] != model::kNever && compare(t.relation, s.freeNs[row], t.number);
        case FilterKey::Address: {
            const auto from = static_cast<std::uint64_t>(t.number);
            const auto end = t.end != 0 ? static_cast<std::uint64_t>(t.end) : from + 1;
            return s.address[row] < end &&
                   from < s.address[row] +
                              static_cast<std::uint64_t>(std::max<std::int64_t>(s.sizeBytes[row], 1));
        }
        case FilterKey::Kind:
            return static_cast<std::int64_t>(s.kind[row]) == t.number;
        case FilterKey::Process:
            return term.ids.contains(s.process[row]);
        case FilterKey::Device:
            return term.ids.contains(s.device[row]);
        case FilterKey::Task:
            return term.ids.contains(s.task[row]);
        case FilterKey::Library: {
            const std::int64_t position = m_sources.stacks->positionOf(s.allocStack[row]);
            return position >= 0 ? term.fits[static_cast<std::size_t>(position)]
                                 : term.ids.contains(s.process[row]);
        }
        case FilterKey::Stack:
            return stackFits(term, s.allocStack[row]);
        case FilterKey::Text:
            return stackFits(term, s.allocStack[row]) || matches(t, s.nameOf(row)) ||
                   matches(t, s.apis.word(s.api[row]));
        case FilterKey::Api:
            return term.fits[s.api[row]];
        case FilterKey::Is:
            if (t.text == QLatin1String("freed"))
                return s.endKind[row] == model::EndKind::Freed || s.endKind[row] == model::EndKind::Unmapped;
            if (t.text == QLatin1String("host")) return !model::isOwnDeviceMemory(s.kind[row]);
            if (t.text == QLatin1String("held"))
                return s.endKind[row] == model::EndKind::Live ||
                       s.endKind[row] == model::EndKind::ProcessEnded;
            return s.freeNs[row] == model::kNever;
        case FilterKey::Finding:
            return term.ids.contains(s.idOf(row));
        case FilterKey::Id:
            return compare(t.relation, s.idOf(row), t.number);
    }
    return false;
}

}  // namespace vramscope::gui
