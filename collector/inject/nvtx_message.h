// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/nvtx_abi.h"

namespace vramscope::collector::nvtx {

/// A text that the job passed, as NUL-terminated UTF-8. Narrow texts are taken as they are and not copied, so
/// they must outlive this; wide ones are converted into a buffer of its own, those over a kibibyte are cut
/// and, while recording, counted.
class Message {
public:
    explicit Message(const char* narrow) : m_text(narrow != nullptr ? narrow : "") {}
    explicit Message(const wchar_t* wide);
    /// An event's message; empty for an event without one or with attributes of an unknown shape. `event` may
    /// be null.
    explicit Message(const EventAttributes* event);
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    const char* text() const { return m_text; }

private:
    void convert(const wchar_t* wide);

    const char* m_text = "";
    char m_buffer[1024];  // on the stack of the job's thread; left as it is unless the text is wide
};

}  // namespace vramscope::collector::nvtx
