// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/free_faults.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "analyzer/model/address_space.h"
#include "analyzer/model/device_fault.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

namespace vramscope::detectors {
namespace {

using model::Buffer;
using model::BufferKind;
using model::Capture;
using model::FailedCall;
using model::Object;

template <std::size_t size>
bool contains(const std::array<std::int64_t, size>& list, std::int64_t error) {
    return std::find(list.begin(), list.end(), error) != list.end();
}

/// Errors (the same numbers in driver and runtime) that say: nothing is left to free it with.
constexpr std::array<std::int64_t, 4> kTeardownErrors{3, 4, 201, 709};

bool startsWith(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

enum class FreeFamily { Device, Host, Unregister, Array, Ipc, Object, Other };

FreeFamily familyOf(std::string_view api) {
    if (startsWith(api, "cuMemFreeHost") || startsWith(api, "cudaFreeHost")) return FreeFamily::Host;
    if (startsWith(api, "cuMemHostUnregister") || startsWith(api, "cudaHostUnregister"))
        return FreeFamily::Unregister;
    if (startsWith(api, "cudaFreeArray") || startsWith(api, "cudaFreeMipmapped") ||
        startsWith(api, "cuArrayDestroy") || startsWith(api, "cuMipmappedArrayDestroy")) {
        return FreeFamily::Array;
    }
    if (startsWith(api, "cuMemFree") || startsWith(api, "cudaFree")) return FreeFamily::Device;
    if (startsWith(api, "cuIpcClose") || startsWith(api, "cudaIpcClose")) return FreeFamily::Ipc;
    // Pieces of the address space have no object and no buffer that begins there as a rule.
    if (startsWith(api, "cuMem")) return FreeFamily::Other;
    return FreeFamily::Object;
}

bool fits(FreeFamily family, BufferKind kind) {
    switch (family) {
        // Measured: cudaFree of stream-ordered memory and cudaFreeAsync of plain memory are legal.
        case FreeFamily::Device:
            return kind == BufferKind::Device || kind == BufferKind::Async || kind == BufferKind::Managed ||
                   kind == BufferKind::Graph;
        case FreeFamily::Host:
            return kind == BufferKind::Pinned;
        case FreeFamily::Unregister:
            return kind == BufferKind::Registered;
        case FreeFamily::Array:
            return kind == BufferKind::Array;
        case FreeFamily::Ipc:
            return kind == BufferKind::Ipc;
        case FreeFamily::Object:
        case FreeFamily::Other:
            return true;
    }
    return true;
}

bool runsInExitHandler(const Capture& capture, model::StackId stack) {
    for (const model::Frame* frame : framesOf(capture, stack)) {
        if (startsWith(frame->function, "__run_exit_handlers") ||
            startsWith(frame->function, "__cxa_finalize") || startsWith(frame->function, "_dl_fini") ||
            frame->function == "exit") {
            return true;
        }
    }
    return false;
}

/// Looks things up for the calls of one process.
class Names {
public:
    Names(const Capture& capture, model::ProcessId process)
        : m_capture(capture), m_process(process), m_space(capture, process) {}

    const Buffer* liveBuffer(const FailedCall& call, FreeFamily family) const {
        if (family == FreeFamily::Array) return arrayAt(call, true);
        return m_space.liveAt(call.address, call.enterNs);
    }
    const Buffer* deadBuffer(const FailedCall& call, FreeFamily family) const {
        if (family == FreeFamily::Array) return arrayAt(call, false);
        return m_space.lastDeadAt(call.address, call.enterNs);
    }
    const Object* object(const FailedCall& call) const {
        const Object* latest = nullptr;
        for (const Object& o : m_capture.objects) {
            if (o.processId != m_process || o.handle != call.address || o.createNs > call.enterNs) continue;
            if (!latest || latest->createNs < o.createNs) latest = &o;
        }
        return latest;
    }

private:
    const Buffer* arrayAt(const FailedCall& call, bool wantsLive) const {
        const Buffer* latest = nullptr;
        for (const Buffer& b : m_capture.buffers) {
            if (b.processId != m_process || b.kind != BufferKind::Array || b.address != call.address)
                continue;
            if (b.allocNs > call.enterNs || b.isLiveAt(call.enterNs) != wantsLive) continue;
            if (!latest || latest->allocNs < b.allocNs) latest = &b;
        }
        return latest;
    }

    const Capture& m_capture;
    model::ProcessId m_process;
    model::AddressSpace m_space;
};

FreeFault judge(const Capture& capture, const FailedCall& call, FreeFamily family, JudgedFree& judged,
                const Names& names) {
    if (model::isStickyError(call.error)) return FreeFault::Consequence;
    if (family == FreeFamily::Object) {
        judged.object = names.object(call);
        if (contains(kTeardownErrors, call.error)) return FreeFault::Teardown;
        const bool isGone = judged.object && judged.object->destroyNs <= call.enterNs;
        return isGone ? FreeFault::DoubleFree : FreeFault::Refused;
    }
    judged.buffer = names.liveBuffer(call, family);
    const bool isLive = judged.buffer != nullptr;
    if (!isLive) judged.buffer = names.deadBuffer(call, family);
    if (contains(kTeardownErrors, call.error)) return FreeFault::Teardown;
    if (isLive && !fits(family, judged.buffer->kind)) return FreeFault::Mismatched;
    if (isLive) return judged.buffer->wasFreed() ? FreeFault::Harmless : FreeFault::Refused;
    if (!judged.buffer) return FreeFault::Refused;
    const bool diedWithContext = judged.buffer->endKind == model::EndKind::ContextDestroyed;
    if (diedWithContext && runsInExitHandler(capture, call.stackId)) return FreeFault::Teardown;
    return FreeFault::DoubleFree;
}

}  // namespace

std::vector<JudgedFree> judgeFailedFrees(const Capture& capture) {
    std::vector<JudgedFree> judgedFrees;
    std::map<model::ProcessId, Names> namesOf;
    for (const FailedCall& call : capture.failedCalls) {
        if (call.family != "free") continue;
        const auto names = namesOf.try_emplace(call.processId, capture, call.processId).first;
        JudgedFree& judged = judgedFrees.emplace_back();
        judged.call = &call;
        judged.fault = judge(capture, call, familyOf(call.api), judged, names->second);
    }
    return judgedFrees;
}

std::string refusalText(const FailedCall& call) {
    std::string text = fmt::format("{} was refused with {} ({})", call.api, call.errorName, call.error);
    if (call.repeatCount > 1) text += fmt::format(", {} times", model::countText(call.repeatCount));
    return text;
}

std::string endText(const Buffer& buffer) {
    switch (buffer.endKind) {
        case model::EndKind::ContextDestroyed:
            return fmt::format("ended with its context at {}", model::momentText(buffer.freeNs));
        case model::EndKind::Unmapped:
            return fmt::format("was unmapped at {}", model::momentText(buffer.freeNs));
        case model::EndKind::ProcessEnded:
            return "ended with its process";
        case model::EndKind::Live:
            return "is still live";
        case model::EndKind::Freed:
            break;
    }
    return fmt::format("was freed at {}", model::momentText(buffer.freeNs));
}

std::string bufferText(const Buffer& buffer) {
    return fmt::format("b{:x}.{} ({} of {})", static_cast<std::uint64_t>(buffer.address), buffer.generation,
                       model::bytesText(buffer.sizeBytes), model::description(buffer.kind));
}

}  // namespace vramscope::detectors
