// SPDX-License-Identifier: Apache-2.0
#include "gui/views/theme.h"

#include <QApplication>
#include <QPainter>
#include <QWidget>

namespace vramscope::gui {
namespace {

Theme lightTheme() {
    Theme t;
    // Blue, orange, teal, red, violet and their pale sisters: distinct for the common kinds of colour
    // blindness.
    t.groups = {QColor(0x2f6fb3), QColor(0xe8903a), QColor(0x2a9d8f), QColor(0xd1615d), QColor(0x8268b0),
                QColor(0xa3c8e8), QColor(0xf5c98d), QColor(0x93cfc3), QColor(0xb58b6b), QColor(0xb4bac2)};
    t.canvas = QColor(0xffffff);
    t.canvasEdge = QColor(0xd5dae0);
    t.text = QColor(0x1d242b);
    t.quietText = QColor(0x5b6670);
    t.grid = QColor(0xe6e9ed);
    t.accent = QColor(0x1f6feb);
    t.problem = QColor(0xb42318);
    t.possible = QColor(0x9a6700);
    t.calm = QColor(0x2e7d4f);
    t.hole = QColor(0xf1f3f5);
    t.capacity = QColor(0xb42318);
    t.reported = QColor(0x1d242b);
    t.reserved = QColor(0x8a5a00);
    t.highlight = QColor(0x111111);
    return t;
}

Theme darkTheme() {
    Theme t;
    t.isDark = true;
    t.groups = {QColor(0x4f94d8), QColor(0xe0924a), QColor(0x3fb5a5), QColor(0xe07a76), QColor(0x9f87d0),
                QColor(0x2f5f8c), QColor(0x9c6b34), QColor(0x2b7468), QColor(0x8f6f58), QColor(0x69727c)};
    t.canvas = QColor(0x171b20);
    t.canvasEdge = QColor(0x343c45);
    t.text = QColor(0xe4e8ec);
    t.quietText = QColor(0x9aa5b0);
    t.grid = QColor(0x272e36);
    t.accent = QColor(0x6cb0ff);
    t.problem = QColor(0xff7b72);
    t.possible = QColor(0xe3b341);
    t.calm = QColor(0x6fce92);
    t.hole = QColor(0x20262d);
    t.capacity = QColor(0xff7b72);
    t.reported = QColor(0xe4e8ec);
    t.reserved = QColor(0xe3b341);
    t.highlight = QColor(0xffffff);
    return t;
}

void setEverywhere(QPalette& palette, QPalette::ColorRole role, const QColor& active,
                   const QColor& disabled) {
    palette.setColor(QPalette::Active, role, active);
    palette.setColor(QPalette::Inactive, role, active);
    palette.setColor(QPalette::Disabled, role, disabled);
}

}  // namespace

QColor Theme::hatchOf(std::size_t group) const {
    return isDark ? groups[group % kMostGroups].lighter(125) : groups[group % kMostGroups].darker(122);
}

const Theme& themeOf(const QWidget& widget) {
    static const Theme light = lightTheme();
    static const Theme dark = darkTheme();
    return widget.palette().color(QPalette::Window).lightness() < 128 ? dark : light;
}

QPalette lightPalette() {
    QPalette p;
    const QColor text(0x1d242b);
    const QColor quiet(0x8c96a0);
    setEverywhere(p, QPalette::Window, QColor(0xf4f5f7), QColor(0xf4f5f7));
    setEverywhere(p, QPalette::Base, QColor(0xffffff), QColor(0xf4f5f7));
    setEverywhere(p, QPalette::AlternateBase, QColor(0xf8f9fa), QColor(0xf4f5f7));
    setEverywhere(p, QPalette::Button, QColor(0xeceef1), QColor(0xeceef1));
    setEverywhere(p, QPalette::ToolTipBase, QColor(0xffffff), QColor(0xffffff));
    setEverywhere(p, QPalette::ToolTipText, text, quiet);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        setEverywhere(p, role, text, quiet);
    setEverywhere(p, QPalette::PlaceholderText, QColor(0x6b7680), quiet);
    setEverywhere(p, QPalette::Highlight, QColor(0x1f6feb), QColor(0xc3ccd6));
    setEverywhere(p, QPalette::HighlightedText, QColor(0xffffff), text);
    setEverywhere(p, QPalette::Link, QColor(0x0b5ed7), quiet);
    setEverywhere(p, QPalette::LinkVisited, QColor(0x0b5ed7), quiet);
    setEverywhere(p, QPalette::Light, QColor(0xffffff), QColor(0xffffff));
    setEverywhere(p, QPalette::Midlight, QColor(0xe3e6ea), QColor(0xe3e6ea));
    setEverywhere(p, QPalette::Mid, QColor(0xc3c9d0), QColor(0xc3c9d0));
    setEverywhere(p, QPalette::Dark, QColor(0x9aa3ad), QColor(0x9aa3ad));
    setEverywhere(p, QPalette::Shadow, QColor(0x6b7680), QColor(0x6b7680));
    return p;
}

QPalette darkPalette() {
    QPalette p;
    const QColor text(0xe4e8ec);
    const QColor quiet(0x6d7781);
    setEverywhere(p, QPalette::Window, QColor(0x1e2329), QColor(0x1e2329));
    setEverywhere(p, QPalette::Base, QColor(0x171b20), QColor(0x1e2329));
    setEverywhere(p, QPalette::AlternateBase, QColor(0x1b2026), QColor(0x1e2329));
    setEverywhere(p, QPalette::Button, QColor(0x2a3138), QColor(0x242a30));
    setEverywhere(p, QPalette::ToolTipBase, QColor(0x2a3138), QColor(0x2a3138));
    setEverywhere(p, QPalette::ToolTipText, text, quiet);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        setEverywhere(p, role, text, quiet);
    setEverywhere(p, QPalette::PlaceholderText, QColor(0x8c96a0), quiet);
    setEverywhere(p, QPalette::Highlight, QColor(0x2f6fb3), QColor(0x39434d));
    setEverywhere(p, QPalette::HighlightedText, QColor(0xffffff), text);
    setEverywhere(p, QPalette::Link, QColor(0x6cb0ff), quiet);
    setEverywhere(p, QPalette::LinkVisited, QColor(0x6cb0ff), quiet);
    setEverywhere(p, QPalette::Light, QColor(0x3a434c), QColor(0x3a434c));
    setEverywhere(p, QPalette::Midlight, QColor(0x323a42), QColor(0x323a42));
    setEverywhere(p, QPalette::Mid, QColor(0x2b3239), QColor(0x2b3239));
    setEverywhere(p, QPalette::Dark, QColor(0x14181c), QColor(0x14181c));
    setEverywhere(p, QPalette::Shadow, QColor(0x0c0f12), QColor(0x0c0f12));
    return p;
}

void applyPalette(bool isDark) {
    const QPalette palette = isDark ? darkPalette() : lightPalette();
    QApplication::setPalette(palette);
    QPalette boxes = palette;
    if (isDark) boxes.setColor(QPalette::Base, QColor(0x4a555f));
    QApplication::setPalette(boxes, "QCheckBox");
    QPalette edits = palette;
    if (isDark) edits.setColor(QPalette::Base, QColor(0x2a3138));
    QApplication::setPalette(edits, "QLineEdit");
}

void fillGroup(QPainter& painter, const QRectF& rect, const Theme& theme, std::size_t group) {
    painter.fillRect(rect, theme.groups[group % kMostGroups]);
    if (Theme::isHatched(group)) painter.fillRect(rect, QBrush(theme.hatchOf(group), Qt::BDiagPattern));
}

}  // namespace vramscope::gui
