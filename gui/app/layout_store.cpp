// SPDX-License-Identifier: Apache-2.0
#include "gui/app/layout_store.h"

#include <QCoreApplication>
#include <QSettings>
#include <algorithm>

namespace vramscope::gui {
namespace {

constexpr int kMostLayouts = 50;
const QString kGroup = QStringLiteral("layouts");

}  // namespace

const std::vector<OwnLayout>& ownLayouts() {
    static const std::vector<OwnLayout> layouts{
        {QT_TRANSLATE_NOOP("LayoutStore", "Triage"),
         {QStringLiteral("findings"), QStringLiteral("inspector"), QStringLiteral("timeline")},
         Page::Overview},
        {QT_TRANSLATE_NOOP("LayoutStore", "Fragmentation"),
         {QStringLiteral("inspector"), QStringLiteral("timeline")},
         Page::AddressMap},
        {QT_TRANSLATE_NOOP("LayoutStore", "Stacks"), {QStringLiteral("timeline")}, Page::Stacks},
        {QT_TRANSLATE_NOOP("LayoutStore", "Compare"), {QStringLiteral("findings")}, Page::Compare}};
    return layouts;
}

LayoutStore::LayoutStore(QSettings* settings) : m_settings(settings) {
    if (!m_settings) return;
    const int count = std::min(m_settings->beginReadArray(kGroup), kMostLayouts);
    for (int i = 0; i < count; ++i) {
        m_settings->setArrayIndex(i);
        SavedLayout layout;
        layout.name = m_settings->value(QStringLiteral("name")).toString();
        layout.state = m_settings->value(QStringLiteral("state")).toByteArray();
        const int page = m_settings->value(QStringLiteral("page")).toInt();
        layout.page = static_cast<Page>(std::clamp(page, 0, static_cast<int>(Page::Sql)));
        if (!layout.name.isEmpty()) m_layouts.push_back(layout);
    }
    m_settings->endArray();
}

void LayoutStore::save(const SavedLayout& layout) {
    const auto at = std::ranges::find(m_layouts, layout.name, &SavedLayout::name);
    if (at != m_layouts.end())
        *at = layout;
    else if (m_layouts.size() < kMostLayouts)
        m_layouts.push_back(layout);
    write();
}

void LayoutStore::remove(const QString& name) {
    std::erase_if(m_layouts, [&](const SavedLayout& layout) { return layout.name == name; });
    write();
}

void LayoutStore::write() {
    if (!m_settings) return;
    m_settings->remove(kGroup);
    m_settings->beginWriteArray(kGroup, static_cast<int>(m_layouts.size()));
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        m_settings->setArrayIndex(static_cast<int>(i));
        m_settings->setValue(QStringLiteral("name"), m_layouts[i].name);
        m_settings->setValue(QStringLiteral("state"), m_layouts[i].state);
        m_settings->setValue(QStringLiteral("page"), static_cast<int>(m_layouts[i].page));
    }
    m_settings->endArray();
}

}  // namespace vramscope::gui
