// SPDX-License-Identifier: Apache-2.0
#include "gui/session/sidecar.h"

#include <QFile>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace vramscope::gui {
namespace {

class SidecarTest : public testing::Test {
protected:
    QString capture() const { return m_folder.filePath(QStringLiteral("run.vramscope")); }
    QTemporaryDir m_folder;
};

TEST_F(SidecarTest, KeepsBookmarksNotesAndReasons) {
    Sidecar first;
    ASSERT_TRUE(first.open(capture().toStdString()).isOk());
    ASSERT_TRUE(first.addBookmark({500, QStringLiteral("later")}).isOk());
    ASSERT_TRUE(first.addBookmark({100, QStringLiteral("earlier")}).isOk());
    ASSERT_TRUE(first.suppress(QStringLiteral("0123456789abcdef"), QStringLiteral(" a cache ")).isOk());
    ASSERT_TRUE(first.setNote(QStringLiteral("looked at")).isOk());
    Sidecar second;
    ASSERT_TRUE(second.open(capture().toStdString()).isOk());
    ASSERT_EQ(second.bookmarks().size(), 2U);
    EXPECT_EQ(second.bookmarks()[0], (Bookmark{100, QStringLiteral("earlier")}));
    EXPECT_EQ(second.suppressionOf(QStringLiteral("0123456789abcdef")), QStringLiteral("a cache"));
    EXPECT_EQ(second.note(), QStringLiteral("looked at"));
    ASSERT_TRUE(second.suppress(QStringLiteral("0123456789abcdef"), {}).isOk());
    ASSERT_TRUE(second.removeBookmark(0).isOk());
    ASSERT_TRUE(first.open(capture().toStdString()).isOk());
    EXPECT_TRUE(first.suppressionOf(QStringLiteral("0123456789abcdef")).isEmpty());
    EXPECT_EQ(first.bookmarks().size(), 1U);
}

TEST_F(SidecarTest, LookingAloneWritesNothing) {
    Sidecar sidecar;
    ASSERT_TRUE(sidecar.open(capture().toStdString()).isOk());
    EXPECT_FALSE(QFile::exists(sidecar.fileName()));
}

TEST_F(SidecarTest, WhatIsNotOursIsLeftAlone) {
    const QByteArray foreign = "{\"schema\": \"something else\"}";
    QFile file(capture() + QStringLiteral(".notes.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(foreign);
    file.close();
    Sidecar sidecar;
    EXPECT_FALSE(sidecar.open(capture().toStdString()).isOk());
    EXPECT_FALSE(sidecar.setNote(QStringLiteral("mine")).isOk());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), foreign);
}

}  // namespace
}  // namespace vramscope::gui
