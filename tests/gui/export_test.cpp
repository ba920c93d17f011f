// SPDX-License-Identifier: Apache-2.0
// Every view leaves the window in every form.
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QMimeData>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <set>

#include "gui/models/text_table.h"
#include "gui/views/compare_page.h"
#include "gui/views/finding_list.h"
#include "gui/views/overview_page.h"
#include "gui/views/sql_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

class ExportTest : public WindowTest {
protected:
    /// Opens a capture in which every view has something to show.
    void fill() {
        open("torch_leak", QStringLiteral("time:7.2"));
        m_window.findings().step(1);
        tests::waitIdle(m_window);
        m_window.compare().compareWith(
            tests::recordedCapture(QStringLiteral("torch_training")).toStdString());
        m_window.sql().run(QStringLiteral("SELECT buffer_id, size_bytes FROM buffers LIMIT 7"));
        tests::waitIdle(m_window);
    }
    /// Does this with every page in front, and with the time line.
    void forEachView(const std::function<void(ExportableView&, const QString&)>& look) {
        for (int page = 0; page < m_window.tabs().count(); ++page) {
            m_window.workspace().showPage(static_cast<Page>(page));
            tests::waitIdle(m_window);
            SCOPED_TRACE(m_window.tabs().tabText(page).toStdString());
            look(m_window.view(), m_window.tabs().tabText(page));
        }
        SCOPED_TRACE("timeline");
        look(m_window.timeline(), QStringLiteral("Timeline"));
    }
};

int coloursIn(const QImage& image) {
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    }
    return static_cast<int>(colours.size());
}

TEST_F(ExportTest, EveryViewIsAPictureATableAndText) {
    fill();
    QTemporaryDir folder;
    forEachView([&](ExportableView& view, const QString& name) {
        const QString file = folder.filePath(name);
        for (const ExportForm form : {ExportForm::Png, ExportForm::Csv, ExportForm::Text}) {
            const QString suffix = form == ExportForm::Png   ? QStringLiteral(".png")
                                   : form == ExportForm::Csv ? QStringLiteral(".csv")
                                                             : QStringLiteral(".txt");
            const Status written = writeView(view, form, file + suffix);
            EXPECT_TRUE(written.isOk()) << written.message();
        }
        const QImage picture(file + QStringLiteral(".png"));
        EXPECT_GT(picture.width(), 400);
        EXPECT_GT(coloursIn(picture), 8);
        const QStringList rows = view.asCsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        ASSERT_GT(rows.size(), 1);
        const auto cells = rows.front().count(QStringLiteral("\",\""));
        for (const QString& row : rows)
            EXPECT_GE(row.count(QStringLiteral("\",\"")), cells) << row.toStdString();
        EXPECT_GT(view.asText().size(), 40);
    });
}

TEST_F(ExportTest, EveryViewIsADrawingWhoseWordsAreWords) {
    if (!canWriteSvg()) GTEST_SKIP() << "built without Qt's SVG module";
    fill();
    forEachView([](ExportableView& view, const QString&) {
        const QByteArray svg = svgOf(view);
        QXmlStreamReader reader(svg);
        int words = 0;
        while (!reader.atEnd()) {
            reader.readNext();
            words += reader.isStartElement() && reader.name() == QLatin1String("text") ? 1 : 0;
        }
        EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
        EXPECT_GT(words, 5);
    });
}

TEST_F(ExportTest, ExportingLeavesTheWindowAsItWas) {
    fill();
    const QImage before = m_window.timeline().grab().toImage();
    (void)svgOf(m_window.timeline());
    (void)pictureOf(m_window.timeline());
    EXPECT_EQ(m_window.timeline().grab().toImage(), before);
}

TEST_F(ExportTest, TheClipboardGetsWhatWasAskedFor) {
    fill();
    m_window.workspace().showPage(Page::Sql);
    ASSERT_TRUE(copyView(m_window.view(), ExportForm::Text));
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("SELECT buffer_id")));
    ASSERT_TRUE(copyView(m_window.view(), ExportForm::Csv));
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QStringLiteral("\"buffer_id\",\"size_bytes\"")));
    ASSERT_TRUE(copyView(m_window.timeline(), ExportForm::Png));
    EXPECT_TRUE(QApplication::clipboard()->mimeData()->hasImage());
}

TEST_F(ExportTest, WhatCannotBeWrittenSaysWhy) {
    fill();
    const Status noFolder =
        writeView(m_window.view(), ExportForm::Png, QStringLiteral("/nowhere/at/all.png"));
    EXPECT_EQ(noFolder.kind(), ErrorKind::System);
    EXPECT_NE(noFolder.message().find("/nowhere/at/all.png"), std::string::npos);
    m_window.workspace().session().close();
    EXPECT_FALSE(writeView(m_window.overview(), ExportForm::Csv, QStringLiteral("unused.csv")).isOk());
    EXPECT_FALSE(QFile::exists(QStringLiteral("unused.csv")));
    EXPECT_EQ(formOfFile(QStringLiteral("a.SVG")), ExportForm::Svg);
    EXPECT_EQ(formOfFile(QStringLiteral("a.b")), std::nullopt);
}

TEST(TextTable, QuotesCellsAndDisarmsFormulas) {
    TextTable table;
    table.heading = {QStringLiteral("a"), QStringLiteral("b")};
    table.rows = {{QStringLiteral("=1+1"), QStringLiteral("say \"x\", y")},
                  {QStringLiteral("-5"), QStringLiteral("+cmd|x")}};
    table.leftOut = 3;
    EXPECT_EQ(table.csv(),
              QStringLiteral("\"a\",\"b\"\n\"'=1+1\",\"say \"\"x\"\", y\"\n\"-5\",\"'+cmd|x\"\n"));
    EXPECT_EQ(table.aligned(),
              QStringLiteral("a     b\n=1+1  say \"x\", y\n-5    +cmd|x\nand 3 rows more\n"));
}

}  // namespace
}  // namespace vramscope::gui
