// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QPalette>
#include <array>

#include "gui/models/grouping.h"

class QPainter;
class QRectF;
class QWidget;

namespace vramscope::gui {

/// Which palette a window has.
enum class ThemeChoice { System, Light, Dark };

/// Colours of what is painted by hand. Groups are told apart by brightness and hatching as well as by hue, so
/// that they can be told apart without seeing colours.
struct Theme {
    bool isDark = false;
    std::array<QColor, kMostGroups> groups;
    QColor canvas;
    QColor canvasEdge;
    QColor text;
    QColor quietText;
    QColor grid;
    QColor accent;
    QColor problem;
    QColor possible;
    QColor calm;
    QColor hole;
    QColor capacity;
    QColor reported;
    QColor reserved;
    QColor highlight;  ///< outline of what is selected

    /// Groups with an odd number are hatched.
    static bool isHatched(std::size_t group) { return group % 2 == 1; }
    QColor hatchOf(std::size_t group) const;
};

/// The theme that goes with a widget's palette.
const Theme& themeOf(const QWidget& widget);
QPalette lightPalette();
QPalette darkPalette();
/// Gives the application one of the palettes. Fusion draws a dark check box dark on dark, so those get their
/// own.
void applyPalette(bool isDark);

/// Fills with the colour of a group, hatched where it is.
void fillGroup(QPainter& painter, const QRectF& rect, const Theme& theme, std::size_t group);

}  // namespace vramscope::gui
