// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "gui/models/owner_chart.h"

namespace vramscope::gui {

/// A mark in a sentence, with its moment: "2.104 s  discriminator writes 2.0 MiB at offset 0x0, which
/// generator owns: cuMemcpyDtoD_v2".
QString sentenceOf(const OwnerMark& mark, const model::Capture& facts);

/// What a mark means, for a legend: "written".
QString meaningOf(OwnerMark::Kind kind);

/// True for what is a fault, or may be one.
bool isFault(OwnerMark::Kind kind);

}  // namespace vramscope::gui
