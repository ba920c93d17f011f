// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>

#include "gui/models/buffer_table_model.h"
#include "gui/models/facet_model.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

class QLabel;
class QTreeView;

namespace vramscope::gui {

/// The table of buffers, with what they differ in at its side and a line that says what is shown and what is
/// hidden.
class BuffersPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit BuffersPage(Workspace& workspace, QWidget* parent = nullptr);

    BufferTableModel& model() { return m_model; }
    QTableView& table() { return *m_table; }
    FacetModel& facets() { return m_facets; }
    QTreeView& facetTree() { return *m_facetTree; }
    bool isBusy() const { return m_model.isBusy() || m_facets.isBusy(); }
    /// The selected rows, or all, as CSV.
    QString csv() const;
    /// The selected rows as tab-separated text.
    QString selectedText() const;
    QString note() const { return m_page->note(); }

protected:
    void showEvent(QShowEvent* event) override;

    QWidget& pictured() override { return *m_table; }
    QString asCsv() const override { return csv(); }
    QString asText() const override;

private:
    void renew();
    void follow(const Selection& selection);
    void describe();
    void showMenu(const QPoint& point);
    void buildFacets();
    void layOutFacets();

    Workspace& m_workspace;
    BufferTableModel m_model;
    FacetModel m_facets;
    QTableView* m_table;
    QTreeView* m_facetTree;
    QLabel* m_status;
    NoteOrContent* m_page;
};

}  // namespace vramscope::gui
