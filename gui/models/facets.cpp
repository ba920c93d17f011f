// SPDX-License-Identifier: Apache-2.0
#include "gui/models/facets.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <unordered_map>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Facets", text);
}

QString quoted(const QString& text) {
    return text.contains(QLatin1Char(' ')) ? QLatin1Char('"') + text + QLatin1Char('"') : text;
}

struct Amount {
    std::int64_t count = 0;
    std::int64_t bytes = 0;

    void add(std::int64_t sizeBytes) {
        ++count;
        bytes = model::addClamped(bytes, sizeBytes);
    }
};

/// Amounts by a number of which there are few different ones, and mostly the same as the row before.
class Counter {
public:
    Amount& of(std::int64_t key) {
        if (m_last == nullptr || key != m_lastKey) {
            m_last = &m_amounts[key];
            m_lastKey = key;
        }
        return *m_last;
    }
    const std::unordered_map<std::int64_t, Amount>& amounts() const { return m_amounts; }

private:
    std::unordered_map<std::int64_t, Amount> m_amounts;
    Amount* m_last = nullptr;
    std::int64_t m_lastKey = 0;
};

struct SizeClass {
    std::int64_t below;
    const char* label;
    const char* words;
};
constexpr std::array<SizeClass, 5> kSizeClasses{{
    {1LL << 10, QT_TRANSLATE_NOOP("Facets", "below 1 KiB"), "size<1K"},
    {1LL << 20, QT_TRANSLATE_NOOP("Facets", "1 KiB to 1 MiB"), "size>=1K size<1M"},
    {1LL << 24, QT_TRANSLATE_NOOP("Facets", "1 to 16 MiB"), "size>=1M size<16M"},
    {1LL << 28, QT_TRANSLATE_NOOP("Facets", "16 to 256 MiB"), "size>=16M size<256M"},
    {0, QT_TRANSLATE_NOOP("Facets", "256 MiB and more"), "size>=256M"},
}};

std::size_t sizeClassOf(std::int64_t bytes) {
    for (std::size_t i = 0; i + 1 < kSizeClasses.size(); ++i) {
        if (bytes < kSizeClasses[i].below) return i;
    }
    return kSizeClasses.size() - 1;
}

bool isHeld(model::EndKind end) {
    return end == model::EndKind::Live || end == model::EndKind::ProcessEnded;
}

bool wasFreed(model::EndKind end) {
    return end == model::EndKind::Freed || end == model::EndKind::Unmapped;
}

/// The most first. Values without a name are counted but cannot be asked for.
Facet listed(const QString& title, std::vector<FacetValue> values) {
    std::stable_sort(values.begin(), values.end(), [](const FacetValue& a, const FacetValue& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.label < b.label;
    });
    Facet facet{title, std::move(values), 0};
    if (facet.values.size() > kMostFacetValues) {
        facet.moreValues = static_cast<std::int64_t>(facet.values.size() - kMostFacetValues);
        facet.values.resize(kMostFacetValues);
    }
    return facet;
}

class FacetCounter {
public:
    explicit FacetCounter(const BufferFilter::Sources& sources)
        : m_sources(sources), m_store(*sources.store) {}

    void count(Row row) {
        const std::int64_t bytes = m_store.sizeBytes[row];
        m_kinds[static_cast<std::uint8_t>(m_store.kind[row])].add(bytes);
        if (isHeld(m_store.endKind[row])) m_held.add(bytes);
        if (wasFreed(m_store.endKind[row])) m_freed.add(bytes);
        m_apis[m_store.api[row]].add(bytes);
        m_sizes[sizeClassOf(bytes)].add(bytes);
        m_tasks.of(m_store.task[row]).add(bytes);
        m_processes.of(m_store.process[row]).add(bytes);
        m_devices.of(m_store.device[row]).add(bytes);
        // Without a stack it is the program itself that asked.
        const std::int32_t stack = m_store.allocStack[row];
        m_stacks.of(stack >= 0 ? stack : -1 - std::int64_t{m_store.process[row]}).add(bytes);
    }

    std::vector<Facet> take() const {
        std::vector<Facet> facets{kinds(),     states(),  libraries(), tasks(),
                                  processes(), devices(), apis(),      sizes()};
        std::erase_if(facets, [](const Facet& facet) { return facet.values.empty(); });
        return facets;
    }

private:
    static void add(std::vector<FacetValue>& values, const QString& label, const QString& words,
                    const Amount& amount) {
        if (amount.count > 0) values.push_back({label, words, amount.count, amount.bytes});
    }

    Facet kinds() const {
        std::vector<FacetValue> values;
        for (std::size_t i = 0; i < m_kinds.size(); ++i) {
            if (m_kinds[i].count == 0) continue;
            const auto kind = static_cast<model::BufferKind>(i);
            add(values, toText(model::description(kind)),
                QStringLiteral("kind:") + toText(formats::bufferKindName(kind)), m_kinds[i]);
        }
        return listed(tr("Kind"), std::move(values));
    }

    Facet states() const {
        std::vector<FacetValue> values;
        add(values, tr("never given back"), QStringLiteral("is:held"), m_held);
        add(values, tr("given back"), QStringLiteral("is:freed"), m_freed);
        return listed(tr("End"), std::move(values));
    }

    Facet libraries() const {
        std::unordered_map<std::string, Amount> byName;
        for (const auto& [key, amount] : m_stacks.amounts()) {
            const std::string& name =
                key >= 0 ? m_sources.stacks->libraryOf(key, {}) : m_sources.stacks->libraryOf(-1, {-1 - key});
            byName[name].count += amount.count;
            byName[name].bytes = model::addClamped(byName[name].bytes, amount.bytes);
        }
        std::vector<FacetValue> values;
        for (const auto& [name, amount] : byName)
            add(values, toText(name), QStringLiteral("library:") + quoted(toText(name)), amount);
        return listed(tr("Library"), std::move(values));
    }

    Facet tasks() const {
        const model::Capture& facts = m_sources.stacks->facts();
        std::vector<FacetValue> values;
        for (const auto& [id, amount] : m_tasks.amounts()) {
            const QString name = toText(facts.taskName({id}));
            const bool isKnown = facts.tasks.find({id}) != nullptr;
            add(values, name, isKnown ? QStringLiteral("task:") + quoted(name) : QString(), amount);
        }
        return listed(tr("Owner"), std::move(values));
    }

    Facet processes() const {
        const model::Capture& facts = m_sources.stacks->facts();
        std::vector<FacetValue> values;
        for (const auto& [id, amount] : m_processes.amounts()) {
            const model::Process* process = facts.processes.find({id});
            if (process == nullptr) continue;
            const QString pid = QString::number(process->pid);
            const QString label = process->rank ? tr("rank %1, pid %2").arg(*process->rank).arg(pid)
                                                : tr("%1, pid %2").arg(toText(facts.programName({id})), pid);
            add(values, label, QStringLiteral("pid:") + pid, amount);
        }
        return listed(tr("Process"), std::move(values));
    }

    Facet devices() const {
        const model::Capture& facts = m_sources.stacks->facts();
        std::vector<FacetValue> values;
        for (const auto& [id, amount] : m_devices.amounts()) {
            const model::Device* device = facts.devices.find({id});
            if (device == nullptr) continue;
            add(values, tr("GPU %1, %2").arg(id).arg(toText(device->name)),
                QStringLiteral("device:%1").arg(id), amount);
        }
        return listed(tr("Device"), std::move(values));
    }

    Facet apis() const {
        std::vector<FacetValue> values;
        for (std::size_t i = 0; i < m_apis.size(); ++i) {
            if (m_apis[i].count == 0) continue;
            const QString name = toText(m_store.apis.word(static_cast<std::uint8_t>(i)));
            add(values, name.isEmpty() ? tr("a call that was not recorded") : name,
                name.isEmpty() ? QString() : QStringLiteral("api:") + quoted(name), m_apis[i]);
        }
        return listed(tr("Call"), std::move(values));
    }

    Facet sizes() const {
        Facet facet{tr("Size"), {}, 0};
        for (std::size_t i = m_sizes.size(); i-- > 0;)
            add(facet.values, tr(kSizeClasses[i].label), QString::fromLatin1(kSizeClasses[i].words),
                m_sizes[i]);
        return facet;
    }

    const BufferFilter::Sources& m_sources;
    const BufferStore& m_store;
    std::array<Amount, 256> m_kinds;
    std::array<Amount, 256> m_apis;
    std::array<Amount, kSizeClasses.size()> m_sizes;
    Amount m_held;
    Amount m_freed;
    Counter m_tasks;
    Counter m_processes;
    Counter m_devices;
    Counter m_stacks;
};

}  // namespace

std::vector<Facet> facetsOf(const BufferFilter::Sources& sources, const BufferFilter& filter,
                            const Cancel& cancel) {
    FacetCounter counter(sources);
    for (Row row = 0; row < sources.store->bufferCount(); ++row) {
        if ((row & 0xfffffU) == 0 && cancel.isRequested()) return {};
        if (filter.fits(row)) counter.count(row);
    }
    return counter.take();
}

}  // namespace vramscope::gui
