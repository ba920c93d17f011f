// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/access.h"
#include "analyzer/model/capture.h"
#include "analyzer/report/report_options.h"

namespace vramscope::report {

/// The buffers that `text` names: one by "b7f2c40000000.3"; by "b7f2c40000000" or "0x7f2c40001200" all that
/// ever held that address, in any process, by time. A Status that says what a name looks like, or that the
/// capture has none of them.
StatusOr<std::vector<const model::Buffer*>> buffersNamed(const model::Capture& capture,
                                                         std::string_view text);

/// One thing that happened to a buffer.
struct BufferEvent {
    std::int64_t timeNs = 0;
    std::string kind;      ///< "allocated", "given", "lent", "named", "handed-out", "access", "freed"
    std::string sentence;  ///< without a full stop
    model::StackId stack;
};

/// The whole life of `buffer`, by time. `accesses` are those of this capture that matter; others' are
/// ignored. Calls that repeat each other are one event.
std::vector<BufferEvent> lifeOf(const model::Capture& capture, const model::Buffer& buffer,
                                const model::AccessList& accesses);

/// The life in dated sentences, with the findings that are about the buffer. Ends with a newline.
std::string bufferStory(const model::Capture& capture, const model::Buffer& buffer,
                        const model::AccessList& accesses, const std::vector<detectors::Finding>& findings,
                        const ReportOptions& options);
/// The same as an object.
nlohmann::ordered_json bufferStoryJson(const model::Capture& capture, const model::Buffer& buffer,
                                       const model::AccessList& accesses);

}  // namespace vramscope::report
