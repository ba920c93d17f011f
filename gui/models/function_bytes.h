// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QVariant>
#include <cstdint>
#include <string>

#include "analyzer/model/ids.h"

namespace vramscope::gui {

/// A function and what was allocated in it and below.
struct FunctionBytes {
    std::string function;
    std::string library;
    std::string place;
    std::int64_t bytes = 0;
    std::int64_t selfBytes = 0;  ///< allocated by itself
    std::int64_t count = 0;
    model::StackId stack;  ///< one that goes through it
};

/// What tables of functions may say of each.
enum class FunctionColumn { Function, Bytes, Share, OwnBytes, Buffers, Library, Place };

QString headingOf(FunctionColumn column);
/// A cell as a view asks for it: text, alignment, tool tip. `allBytes` is what a share is a part of.
QVariant cellOf(const FunctionBytes& of, FunctionColumn column, int role, std::int64_t allBytes = 0);

}  // namespace vramscope::gui
