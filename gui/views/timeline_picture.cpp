// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vramscope::gui {
namespace {

/// Every so many pixels a hatched group has a dark one.
constexpr int kHatch = 7;

/// Lines of a picture with several pixels to a point are as far apart and as thick as elsewhere.
struct Lines {
    int period = kHatch;
    int thickness = 1;

    explicit Lines(const QImage& image)
        : period(static_cast<int>(std::lround(kHatch * image.devicePixelRatio()))),
          thickness(std::max(static_cast<int>(image.devicePixelRatio()), 1)) {}
    bool has(int along) const { return (along % period + period) % period < thickness; }
};

struct Ink {
    QRgb plain = 0;
    QRgb hatch = 0;
};

}  // namespace

void paintStack(QImage& image, int x, int top, int bottom, const std::vector<GroupBytes>& columns,
                std::size_t groupCount, std::int64_t fullBytes, const Theme& theme, int foldedGroup) {
    if (fullBytes <= 0 || bottom <= top) return;
    std::array<Ink, kMostGroups> inks;
    for (std::size_t group = 0; group < kMostGroups; ++group) {
        inks[group].plain = theme.groups[group].rgb();
        inks[group].hatch = Theme::isHatched(group) ? theme.hatchOf(group).rgb() : inks[group].plain;
    }
    const auto stride =
        static_cast<std::ptrdiff_t>(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)));
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    const double scale = static_cast<double>(bottom - top) / static_cast<double>(fullBytes);
    const int last = std::min(static_cast<int>(columns.size()), image.width() - x);
    const Lines lines(image);
    for (int i = 0; i < last; ++i) {
        const GroupBytes& column = columns[static_cast<std::size_t>(i)];
        std::int64_t sum = 0;
        int y = bottom;
        for (std::size_t group = 0; group < groupCount && y > top; ++group) {
            sum += column.bytes[group];
            int end = bottom - static_cast<int>(std::lround(static_cast<double>(sum) * scale));
            // Whatever is live leaves at least a line, or a small buffer beside a large one would be none.
            if (group + 1 == groupCount && sum > 0) end = std::min(end, bottom - 1);
            end = std::clamp(end, top, y);
            const Ink& ink = inks[group];
            QRgb* pixel = pixels + static_cast<std::ptrdiff_t>(y - 1) * stride + x + i;
            const bool isCrossed = static_cast<int>(group) == foldedGroup;
            for (; y > end; --y, pixel -= stride) {
                const bool isLine = lines.has(x + i + y) || (isCrossed && lines.has(x + i - y));
                *pixel = isLine ? ink.hatch : ink.plain;
            }
        }
    }
}

void paintHatch(QImage& image, int x, int top, int bottom, const std::vector<HatchColumn>& columns,
                std::int64_t fullBytes, QRgb color) {
    if (fullBytes <= 0 || bottom <= top) return;
    const auto stride =
        static_cast<std::ptrdiff_t>(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)));
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    const double scale = static_cast<double>(bottom - top) / static_cast<double>(fullBytes);
    const auto rowOf = [&](std::int64_t bytes) {
        return std::clamp(bottom - static_cast<int>(std::lround(static_cast<double>(bytes) * scale)), top,
                          bottom);
    };
    const int last = std::min(static_cast<int>(columns.size()), image.width() - x);
    const Lines lines(image);
    for (int i = 0; i < last; ++i) {
        const HatchColumn& column = columns[static_cast<std::size_t>(i)];
        if (column.toBytes <= column.fromBytes) continue;
        const int end = rowOf(column.toBytes);
        const int begin = rowOf(column.fromBytes);
        // Only every so many pixels of a column are on a line.
        int y = begin - 1;
        y -= (x + i + y) % lines.period;
        for (; y + lines.thickness > end; y -= lines.period) {
            for (int row = std::max(y, end); row < std::min(y + lines.thickness, begin); ++row)
                pixels[static_cast<std::ptrdiff_t>(row) * stride + x + i] = color;
        }
    }
}

}  // namespace vramscope::gui
