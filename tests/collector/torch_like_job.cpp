// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/torch_like_job.h"

#include <algorithm>
#include <cstring>
#include <cupti.h>
#include <string>
#include <utility>

#include "collector/inject/collector.h"
#include "collector/inject/stack_table.h"

namespace vramscope::bench {

using collector::t_thread;
using formats::Record;
using formats::RecordType;

namespace {

constexpr std::uint64_t kStayingBuffers = 90;
constexpr std::uint64_t kStayingBytes = 64ull << 20;
constexpr std::uint64_t kStayingBase = 0x7f00'0000'0000;
constexpr std::uint64_t kBlockBytes = 2ull << 20;
constexpr std::uint64_t kBlockBase = 0x7e00'0000'0000;
constexpr std::uint64_t kFirstKernel = 0x5555'0000'0000;
constexpr std::uint64_t kFirstStream = 0x5556'0000'0000;
constexpr std::uint32_t kKernels = 200;
constexpr std::uint32_t kStreams = 4;
constexpr std::uint64_t kPool = 0x5557'0000'0000;
constexpr std::uint32_t kMostArguments = 8;

std::uint64_t kernelHandle(std::uint32_t index) {
    return kFirstKernel + index * 0x2a0ull;
}
std::uint64_t streamHandle(std::uint32_t index) {
    return kFirstStream + index * 0x1c0ull;
}

}  // namespace

TorchLikeJob::TorchLikeJob(std::size_t liveBlocks, JobMix mix) : m_wantedLive(liveBlocks) {
    const auto add = [this, &mix](Kind kind, int count) {
        for (int i = 0; i < count; ++i)
            m_steps.push_back(makeStep(kind, i, mix));
    };
    add(Kind::Launch, mix.launches);
    add(Kind::Allocate, mix.allocations);
    add(Kind::Free, mix.allocations);
    add(Kind::Copy, mix.copies);
    add(Kind::Set, mix.sets);
    add(Kind::Sync, 1000 - mix.launches - 2 * mix.allocations - mix.copies - mix.sets);
    std::shuffle(m_steps.begin(), m_steps.end(), m_random);
    // More addresses than live blocks: what was just freed is not at once what comes next.
    for (std::size_t i = 0; i < liveBlocks + 64; ++i)
        m_freeBlocks.push_back(kBlockBase + i * kBlockBytes);
}

TorchLikeJob::Step TorchLikeJob::makeStep(Kind kind, int index, const JobMix& mix) {
    Step step;
    step.kind = kind;
    step.lane = pick(3) == 0 ? 1 : 0;
    step.stream = static_cast<std::uint8_t>(pick(12) == 0 ? 1 + pick(kStreams - 1) : 0);
    step.choice = static_cast<std::uint16_t>(pick(kKernels));
    if (kind != Kind::Launch) return step;
    step.usesNewBlock = index < mix.launchesOnNewBlocks;
    const std::uint32_t count = step.usesNewBlock ? 1 + pick(kMostArguments) : pick(kMostArguments + 1);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t address =
            kStayingBase + pick(kStayingBuffers) * kStayingBytes + 512ull * pick(100'000);
        step.arguments.push_back(formats::packArgument(address, 8 * i));
    }
    return step;
}

void TorchLikeJob::makeStacks() {
    constexpr std::uint32_t kDepth = 25;
    for (std::uint32_t stack = 0; stack < 300; ++stack) {
        std::uint32_t node = 0;
        // All share the outer half, as the stacks of one program do.
        for (std::uint32_t frame = 0; frame < kDepth; ++frame) {
            const std::uint64_t own = frame < kDepth / 2 ? 0 : (stack + 1ull) * 0x1000;
            node = collector::internStackNode(node, 0x7000'0000'0000 + own + frame * 64).id;
        }
        m_stacks.push_back(node);
    }
}

Record* TorchLikeJob::start(RecordType type, std::uint16_t api, std::uint32_t slots) {
    Record* record = collector::reserve(t_thread, slots);
    if (record == nullptr) return nullptr;
    record->header.type = static_cast<std::uint16_t>(type);
    record->header.api = api;
    record->header.slotCount = static_cast<std::uint8_t>(slots);
    record->header.enterTicks = m_enterTicks;
    record->header.exitTicks = m_exitTicks;
    record->header.contextUid = 1;
    return record;
}

void TorchLikeJob::finish(std::uint32_t slots) {
    collector::publish(t_thread, slots);
}

void TorchLikeJob::begin(std::uint64_t nowTicks) {
    for (collector::ThreadState& lane : m_lanes) {
        t_thread = {};
        collector::startThread(collector::g_hot.epoch.load());
        lane = t_thread;
    }
    t_thread = m_lanes[0];
    m_enterTicks = m_exitTicks = nowTicks;
    makeStacks();
    Record* context = start(RecordType::ContextCreate, 0);
    context->context = {0x5558'0000'0000, 0, 1, 0, 0};
    finish(1);
    for (std::uint32_t i = 0; i < kStreams; ++i) {
        start(RecordType::StreamCreate, CUPTI_DRIVER_TRACE_CBID_cuStreamCreate)->stream.stream =
            streamHandle(i);
        finish(1);
    }
    for (std::uint32_t i = 0; i < kKernels; ++i) {
        const std::string name = "kernel_" + std::to_string(i);
        Record* record = start(RecordType::KernelName, 0, 2);
        record->text.handle = kernelHandle(i);
        record->text.textBytes = static_cast<std::uint32_t>(name.size());
        std::memcpy(record + 1, name.data(), name.size());
        finish(2);
    }
    for (std::uint64_t i = 0; i < kStayingBuffers; ++i) {
        Record* record = start(RecordType::Alloc, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
        record->alloc = {kStayingBase + i * kStayingBytes, kStayingBytes, 0, 0};
        finish(1);
    }
    m_lanes[0] = t_thread;
}

void TorchLikeJob::write(std::size_t count, std::uint64_t firstTicks, std::uint64_t endTicks) {
    const std::uint64_t each = (endTicks - firstTicks) / count;
    for (std::size_t i = 0; i < count; ++i) {
        const Step& step = m_steps[m_position];
        m_position = (m_position + 1) % m_steps.size();
        t_thread = m_lanes[step.lane];
        const std::uint64_t enter = firstTicks + i * each;
        writeStep(step, enter, enter + each * (50 + pick(40)) / 100);
        m_lanes[step.lane] = t_thread;
    }
}

void TorchLikeJob::writeAllocation(std::uint64_t address, const Step& step, Record* record) {
    record->header.detail = static_cast<std::uint8_t>(formats::BufferKind::Async);
    record->header.stackId = m_stacks[step.choice];
    record->alloc = {address, kBlockBytes / 2, streamHandle(step.stream), kPool};
}

void TorchLikeJob::writeLaunch(const Step& step, Record* record) {
    record->launch = {kernelHandle(step.choice),    streamHandle(step.stream), 1u + step.choice, 1, 1,
                      formats::packBlock(256, 1, 1)};
    auto* words = reinterpret_cast<std::uint64_t*>(record + 1);
    std::copy(step.arguments.begin(), step.arguments.end(), words);
    if (step.usesNewBlock && !m_liveBlocks.empty()) words[0] = formats::packArgument(m_liveBlocks.back(), 0);
}

void TorchLikeJob::writeStep(const Step& step, std::uint64_t enterTicks, std::uint64_t exitTicks) {
    m_enterTicks = enterTicks;
    m_exitTicks = exitTicks;
    const std::uint32_t slots = step.arguments.empty() ? 1 : 2;
    Record* record = nullptr;
    switch (step.kind) {
        case Kind::Launch:
            record = start(RecordType::Launch, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, slots);
            if (record != nullptr) writeLaunch(step, record);
            break;
        case Kind::Allocate:
            record = start(RecordType::Alloc, CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync);
            if (record == nullptr) return;
            writeAllocation(m_freeBlocks.front(), step, record);
            m_liveBlocks.push_back(m_freeBlocks.front());
            m_freeBlocks.pop_front();
            break;
        case Kind::Free:
            if (m_liveBlocks.size() < m_wantedLive) return;
            record = start(RecordType::Free, CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync);
            if (record == nullptr) return;
            record->header.detail = static_cast<std::uint8_t>(formats::FreeFamily::Async);
            record->header.stackId = m_stacks[step.choice];
            record->free.address = m_liveBlocks.front();
            record->free.stream = streamHandle(step.stream);
            m_freeBlocks.push_back(m_liveBlocks.front());
            m_liveBlocks.pop_front();
            break;
        case Kind::Copy:
            record = start(RecordType::Copy, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2);
            if (record == nullptr) return;
            record->header.detail = formats::kCopyAsync;
            record->copy = {kStayingBase + step.choice % kStayingBuffers * kStayingBytes, 0x7ffc'0000'1000,
                            4096u + 64u * step.choice, streamHandle(step.stream)};
            break;
        case Kind::Set:
            record = start(RecordType::Set, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async);
            if (record == nullptr) return;
            record->set = {kStayingBase + step.choice % kStayingBuffers * kStayingBytes, 65536, 0, 1,
                           streamHandle(step.stream)};
            break;
        case Kind::Sync:
            record = start(RecordType::Sync, CUPTI_DRIVER_TRACE_CBID_cuEventRecord);
            if (record == nullptr) return;
            record->header.detail = static_cast<std::uint8_t>(
                step.choice % 2 == 0 ? formats::SyncKind::EventRecord : formats::SyncKind::StreamWait);
            record->sync = {streamHandle(step.stream), 0x5559'0000'0000 + step.choice % 16 * 64ull, 0, 0, 0};
            break;
    }
    if (record != nullptr) finish(record->header.slotCount);
}

}  // namespace vramscope::bench
