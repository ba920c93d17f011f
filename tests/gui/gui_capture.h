// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <filesystem>

#include "gui/models/buffer_filter.h"
#include "tests/support/capture_builder.h"

namespace vramscope::tests {

/// A capture of a test as the viewer's models see it, loaded from a file.
class GuiCapture {
public:
    /// `isAnalysed`: with what the analyzer makes of it.
    explicit GuiCapture(CaptureBuilder& builder, bool isAnalysed = false);

    const gui::BufferFilter::Sources& sources() const { return m_sources; }
    const gui::BufferStore& store() const { return *m_sources.store; }
    std::filesystem::path path() const;
    /// Rows that a filter lets through.
    std::vector<gui::Row> rowsOf(const QString& filter, const gui::Selection& selection = {}) const;

private:
    QTemporaryDir m_folder;
    gui::BufferFilter::Sources m_sources;
};

/// A leak of one stack beside a stack that frees, for tests that only need something to show: ten buffers of
/// 3 MiB stay, ten of 1 MiB go.
void fillLeaking(CaptureBuilder& builder);

}  // namespace vramscope::tests
