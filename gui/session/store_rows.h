// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/session/buffer_store.h"

namespace vramscope::gui {

/// Makes and removes rows of a store that is being loaded.
class StoreRows {
public:
    /// Number of traits of a row that nothing was read into.
    static constexpr std::uint32_t kUnread = 0xffffffff;

    static void resize(BufferStore& store, std::size_t count);
    /// Takes out rows that nothing was read into: numbers that the capture does not have. What remains are
    /// the store's buffers.
    static void removeUnread(BufferStore& store);
    /// Adds the physical handles behind the buffers.
    static void addHandles(BufferStore& store, const model::Capture& facts);
};

}  // namespace vramscope::gui
