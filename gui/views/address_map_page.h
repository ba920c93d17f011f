// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>

#include "gui/views/address_map_view.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// The address map at the selected moment, and whether a request of some size would fit.
class AddressMapPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit AddressMapPage(Workspace& workspace, QWidget* parent = nullptr);

    std::shared_ptr<const AddressMap> map() const { return m_map; }
    AddressMapView& view() { return *m_view; }
    /// As in a filter: "512M".
    void setRequest(const QString& size);
    bool isBusy() const { return m_job.isBusy(); }
    QString note() const { return m_page->note(); }

    QWidget& pictured() override;
    /// Every piece of every arena, and the totals below them.
    QString asCsv() const override;
    QString asText() const override;

private:
    /// What the worker made; the order is kept for the next moment.
    struct Made {
        AddressMap map;
        std::shared_ptr<const BufferStore> store;
        std::shared_ptr<const AddressOrder> order;
    };
    void forget();
    void renew();
    void show(Made made);
    void readRequest();

    Workspace& m_workspace;
    std::shared_ptr<const AddressMap> m_map;
    std::shared_ptr<const BufferStore> m_orderOf;
    std::shared_ptr<const AddressOrder> m_order;  ///< of m_orderOf
    QLabel* m_header;
    QLineEdit* m_request;
    AddressMapView* m_view;
    NoteOrContent* m_page;
    JobSlot m_job;
};

}  // namespace vramscope::gui
