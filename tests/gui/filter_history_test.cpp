// SPDX-License-Identifier: Apache-2.0
#include "gui/models/filter_history.h"

#include <gtest/gtest.h>

namespace vramscope::gui {
namespace {

class FilterHistoryTest : public testing::Test {
protected:
    void filter(const char* words) {
        m_selection.change([&](Selection& selection) { selection.filter = QString::fromUtf8(words); });
    }
    std::string filter() const { return m_selection.current().filter.toStdString(); }

    SharedSelection m_selection;
    FilterHistory m_history{m_selection};
};

TEST_F(FilterHistoryTest, GoesBackStepByStepAndNoFurther) {
    EXPECT_FALSE(m_history.canUndo());
    filter("size>1M");
    filter("size>1M kind:async");
    m_history.undo();
    EXPECT_EQ(filter(), "size>1M");
    m_history.undo();
    EXPECT_EQ(filter(), "");
    EXPECT_FALSE(m_history.canUndo());
    m_history.undo();
    EXPECT_EQ(filter(), "");
}

TEST_F(FilterHistoryTest, WhatElseIsLookedAtStays) {
    filter("is:held");
    m_selection.change([](Selection& selection) { selection.timeNs = 17; });
    m_selection.change([](Selection& selection) { selection.page = Page::Stacks; });
    m_history.undo();
    EXPECT_EQ(filter(), "");
    EXPECT_EQ(m_selection.current().timeNs, 17);
    EXPECT_EQ(m_selection.current().page, Page::Stacks);
    m_selection.goBack();
    EXPECT_EQ(filter(), "is:held") << "to take it back is a step of the history itself";
}

TEST_F(FilterHistoryTest, TheScopeBelongsToIt) {
    m_selection.change([](Selection& selection) { selection.process = {2}; });
    m_history.undo();
    EXPECT_TRUE(m_selection.current().process.isNone());
}

TEST_F(FilterHistoryTest, LettersOfOneWordAreOneChange) {
    filter("is:held");
    filter("is:held s");
    for (const char* typed : {"is:held st", "is:held sta"}) {
        Selection selection = m_selection.current();
        selection.filter = QString::fromUtf8(typed);
        m_history.joinNext();
        m_selection.amend(selection);
    }
    m_history.undo();
    EXPECT_EQ(filter(), "is:held");
}

}  // namespace
}  // namespace vramscope::gui
