// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "collector/recorder/address_space.h"

namespace vramscope::collector {

class CaptureSink;

/// Rows of `buffers`, written when a transaction ends: a buffer that lives and dies between two commits costs
/// one insert.
class BufferRows {
public:
    explicit BufferRows(CaptureSink& sink) : m_sink(sink) {}

    /// `buffer` is new or has changed.
    void mark(const BufferPtr& buffer) {
        if (buffer->isDirty) return;
        buffer->isDirty = true;
        (buffer->isInserted ? m_changed : m_new).push_back(buffer);
    }

    /// Writes what was marked.
    void write();

private:
    void insert(std::span<const BufferPtr> rows, const char* sql);
    void update(const BufferRow& row);

    CaptureSink& m_sink;
    std::vector<BufferPtr> m_new;
    std::vector<BufferPtr> m_changed;
};

}  // namespace vramscope::collector
