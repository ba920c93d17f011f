// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_message.h"

#include "collector/inject/collector.h"
#include "collector/inject/nvtx_names.h"
#include "collector/inject/utf8.h"

namespace vramscope::collector::nvtx {

Message::Message(const wchar_t* wide) {
    convert(wide);
}

Message::Message(const EventAttributes* event) {
    if (event == nullptr || event->structBytes < sizeof(EventAttributes)) return;
    switch (event->messageType) {
        case MessageType::Narrow:
            if (event->message.narrow != nullptr) m_text = event->message.narrow;
            break;
        case MessageType::Wide:
            convert(event->message.wide);
            break;
        case MessageType::Registered:
            if (const Name* name = stringOf(event->message.registered)) m_text = name->text();
            break;
        case MessageType::None:
            break;
    }
}

void Message::convert(const wchar_t* wide) {
    if (!toUtf8(wide, m_buffer, sizeof(m_buffer)) && isRecording())
        countDrop(formats::DropReason::TextTooLong);
    m_text = m_buffer;
}

}  // namespace vramscope::collector::nvtx
