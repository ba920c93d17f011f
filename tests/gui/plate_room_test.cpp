// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plate_room.h"

#include <gtest/gtest.h>

namespace vramscope::gui {
namespace {

const QRectF kBox(100, 50, 300, 18);
const QSizeF kWords(80, 16);
const std::vector<QPointF> kTopLeft{{103, 51}};

TEST(PlateRoom, WordsStandWhereTheyAreWantedWhenNothingIsThere) {
    PlateRoom room;
    const auto place = room.take(kBox, kWords, kTopLeft);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->topLeft(), kTopLeft.front());
    EXPECT_EQ(place->size(), kWords);
}

TEST(PlateRoom, InANarrowBandTheyGoAroundAFault) {
    PlateRoom room;
    const QRectF cross(120, 51, 16, 16);
    room.keep(cross);
    const auto place = room.take(kBox, kWords, kTopLeft);
    ASSERT_TRUE(place);
    EXPECT_FALSE(place->intersects(cross));
    EXPECT_TRUE(kBox.contains(*place));
}

TEST(PlateRoom, WordsDoNotCoverEachOther) {
    PlateRoom room;
    std::vector<QRectF> taken;
    while (const auto place = room.take(kBox, kWords, kTopLeft)) {
        for (const QRectF& other : taken)
            EXPECT_FALSE(place->intersects(other));
        taken.push_back(*place);
        ASSERT_LE(taken.size(), 3U);
    }
    EXPECT_EQ(taken.size(), 3U) << "three of them fit side by side";
}

TEST(PlateRoom, AMarkIsCoveredOnlyWhereThereIsNoOtherPlace) {
    const QRectF mark(150, 50, 7, 18);
    PlateRoom room;
    room.spare(mark);
    const auto beside = room.take(kBox, kWords, kTopLeft);
    ASSERT_TRUE(beside);
    EXPECT_FALSE(beside->intersects(mark));
    PlateRoom narrow;
    narrow.spare(mark);
    const auto over = narrow.take({100, 50, 90, 18}, kWords, kTopLeft);
    ASSERT_TRUE(over);
    EXPECT_TRUE(over->intersects(mark));
}

TEST(PlateRoom, WhatDoesNotFitIsNotSaid) {
    PlateRoom room;
    EXPECT_FALSE(room.take(kBox, {301, 16}, kTopLeft));
    EXPECT_FALSE(room.take(kBox, {80, 19}, kTopLeft));
    room.keep(kBox);
    EXPECT_FALSE(room.take(kBox, kWords, kTopLeft));
}

}  // namespace
}  // namespace vramscope::gui
