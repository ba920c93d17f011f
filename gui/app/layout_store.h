// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/session/selection.h"

class QSettings;

namespace vramscope::gui {

/// Where the docks lie and which page is in front, under a name that a person chose.
struct SavedLayout {
    QString name;
    QByteArray state;
    Page page = Page::Overview;
};

/// A layout that the viewer brings: the docks that are seen beside a page.
struct OwnLayout {
    const char* name;
    QStringList docks;
    Page page;
};

/// "Triage", "Fragmentation", "Stacks" and "Compare".
const std::vector<OwnLayout>& ownLayouts();

/// The layouts that a person saved, kept in the settings.
class LayoutStore {
public:
    /// `settings` outlives the store; null keeps nothing beyond this window.
    explicit LayoutStore(QSettings* settings);

    const std::vector<SavedLayout>& layouts() const { return m_layouts; }
    /// Replaces the one of the same name.
    void save(const SavedLayout& layout);
    void remove(const QString& name);

private:
    void write();

    QSettings* m_settings;
    std::vector<SavedLayout> m_layouts;
};

}  // namespace vramscope::gui
