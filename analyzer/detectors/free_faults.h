// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/detectors/detector.h"

namespace vramscope::detectors {

/// What a free or destroy call that failed was about.
enum class FreeFault {
    DoubleFree,   ///< what it names was already gone
    Mismatched,   ///< what it names lives, but this is the wrong call for it
    Refused,      ///< what it names lives and is of the right kind, or is nothing we know
    Teardown,     ///< the context or the driver was already gone: the order of static destructors
    Consequence,  ///< the context was broken by an earlier error and refuses everything
    Harmless,     ///< refused at first, given back later
};

struct JudgedFree {
    const model::FailedCall* call = nullptr;
    FreeFault fault = FreeFault::Refused;
    const model::Buffer* buffer = nullptr;  ///< the buffer it names, live or dead; nullptr when it is none
    const model::Object* object = nullptr;  ///< the object it names; nullptr when it is none
};

/// Every failed call of family "free", in order of the table.
std::vector<JudgedFree> judgeFailedFrees(const model::Capture& capture);

/// "cuMemFree_v2 was refused with CUDA_ERROR_INVALID_VALUE (1), 3 times": the call as a fact.
std::string refusalText(const model::FailedCall& call);

/// The end of a buffer as a fact: "was freed at 0.200 s" or "ended with its context at 1.0 s".
std::string endText(const model::Buffer& buffer);

/// "b7f2c40000000.3 (16.0 MiB of device memory)".
std::string bufferText(const model::Buffer& buffer);

}  // namespace vramscope::detectors
