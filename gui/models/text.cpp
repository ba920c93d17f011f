// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text.h"

#include <algorithm>
#include <cmath>

#include "analyzer/model/units.h"

namespace vramscope::gui {

QString toText(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString toEscaped(std::string_view text) {
    return toText(text).toHtmlEscaped();
}

QString bytesText(std::int64_t bytes) {
    return toText(model::bytesText(bytes));
}

QString exactBytesText(std::int64_t bytes) {
    if (std::abs(bytes) < 1024) return bytesText(bytes);
    return QStringLiteral("%1 (%2 bytes)").arg(bytesText(bytes), countText(bytes));
}

QString countText(std::int64_t count) {
    return toText(model::countText(count));
}

QString timeText(std::int64_t ns, std::int64_t resolutionNs) {
    int digits = 0;
    for (std::int64_t unit = 1'000'000'000; unit > std::max<std::int64_t>(resolutionNs, 1) && digits < 9;
         unit /= 10)
        ++digits;
    return QString::number(static_cast<double>(ns) / 1e9, 'f', digits) + QStringLiteral(" s");
}

QString durationText(std::int64_t ns) {
    if (ns < 1'000) return QStringLiteral("%1 ns").arg(ns);
    if (ns < 1'000'000) return QString::number(static_cast<double>(ns) / 1e3, 'f', 1) + QStringLiteral(" us");
    return toText(model::durationText(ns));
}

}  // namespace vramscope::gui
