// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

#include "gui/models/text_table.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"
#include "gui/views/owners_view.h"

namespace vramscope::gui {

/// Who held, owned, lent and touched the bytes of the selected buffer, and what lay beside it. Lives come
/// first; who owned and touched them follows when it was read.
class OwnersPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit OwnersPage(Workspace& workspace, QWidget* parent = nullptr);

    OwnersView& view() { return *m_view; }
    std::shared_ptr<const OwnerChart> chart() const { return m_chart; }
    bool isBusy() const { return m_job.isBusy() || m_recordJob.isBusy(); }
    QString note() const { return m_page->note(); }
    QString header() const { return m_header->text(); }

    QWidget& pictured() override { return *m_view; }
    /// Every lifetime that is drawn.
    QString asCsv() const override { return table(true).csv(); }
    QString asText() const override { return m_chart ? table(false).aligned() : QString(); }

private:
    void renew();
    TextTable table(bool isExact) const;
    void show(OwnerChart chart, bool keepsTime);
    void readRecord(Row row);
    void describe();

    Workspace& m_workspace;
    std::shared_ptr<const OwnerChart> m_chart;
    model::BufferId m_buffer;
    QLabel* m_header;
    OwnersView* m_view;
    NoteOrContent* m_page;
    JobSlot m_job;
    JobSlot m_recordJob;
};

}  // namespace vramscope::gui
