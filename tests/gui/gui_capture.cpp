// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/gui_capture.h"

#include <cstdlib>
#include <iostream>

#include "analyzer/model/capture_loader.h"
#include "formats/capture_file.h"

namespace vramscope::tests {
namespace {

template <typename T>
T need(StatusOr<T> value) {
    if (!value.isOk()) {
        std::cerr << value.status().message() << "\n";
        std::abort();
    }
    return std::move(*value);
}

}  // namespace

GuiCapture::GuiCapture(CaptureBuilder& builder, bool isAnalysed) {
    builder.writeTo(path());
    formats::Connection connection = need(formats::openCaptureForReading(path()));
    const auto facts = need(model::loadFacts(connection, path()));
    const gui::Cancel cancel;
    m_sources.store = need(gui::BufferStore::load(*facts, 2, cancel));
    m_sources.stacks = std::make_shared<const gui::StackIndex>(facts);
    if (isAnalysed) m_sources.analysis = need(gui::analyse(path(), cancel));
}

std::filesystem::path GuiCapture::path() const {
    return m_folder.filePath(QStringLiteral("test.vramscope")).toStdString();
}

std::vector<gui::Row> GuiCapture::rowsOf(const QString& filter, const gui::Selection& selection) const {
    const gui::BufferFilter rows(m_sources, gui::parseFilter(filter), selection);
    std::vector<gui::Row> fitting;
    for (gui::Row row = 0; row < store().bufferCount(); ++row) {
        if (rows.fits(row)) fitting.push_back(row);
    }
    return fitting;
}

void fillLeaking(CaptureBuilder& builder) {
    const std::int64_t leaking =
        builder.stack({"/opt/app/train!keep@train.cpp:21", "/opt/app/train!main@train.cpp:40"});
    const std::int64_t freeing =
        builder.stack({"/opt/app/train!scratch@train.cpp:30", "/opt/app/train!main@train.cpp:41"});
    for (std::int64_t i = 0; i < 10; ++i) {
        const std::int64_t atNs = 1'000'000'000 + i * 800'000'000;
        builder.launch(atNs - 1000);
        builder.allocate({.bytes = 3 << 20, .allocNs = atNs, .stack = leaking});
        builder.allocate({.bytes = 1 << 20, .allocNs = atNs + 1000, .freeNs = atNs + 2000, .stack = freeing});
        builder.sync(atNs + 3000);
    }
}

}  // namespace vramscope::tests
