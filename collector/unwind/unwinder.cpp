// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/unwinder.h"

#include "collector/unwind/rule_compiler.h"

namespace vramscope::unwind {
namespace {

constinit Unwinder g_unwinder{};

/// How many frames without a table may lie between two with one.
constexpr int kMaxBridgedFrames = 64;

UnwindEnd endOf(StepStatus status) noexcept {
    switch (status) {
        case StepStatus::Outermost:
            return UnwindEnd::Complete;
        case StepStatus::SignalFrame:
            return UnwindEnd::SignalFrame;
        case StepStatus::Unknown:
            return UnwindEnd::UnknownCode;
        default:
            return UnwindEnd::BadStack;
    }
}

}  // namespace

Unwinder& Unwinder::processWide() noexcept {
    return g_unwinder;
}

__attribute__((noinline)) UnwindResult Unwinder::unwind(uint64_t* returnAddresses, size_t maxCount,
                                                        const StackBounds& bounds) noexcept {
    return unwindFrom(callerRegisters(), returnAddresses, maxCount, bounds);
}

UnwindResult Unwinder::unwindFrom(const Registers& start, uint64_t* returnAddresses, size_t maxCount,
                                  const StackBounds& bounds) noexcept {
    const uint32_t generation = m_cache.generation();
    const UnwindResult result = walk(start, returnAddresses, maxCount, bounds);
    // A module was found to be gone on the way, so the frames before that point may come from its rules: once
    // more.
    if (m_cache.generation() != generation) [[unlikely]]
        return walk(start, returnAddresses, maxCount, bounds);
    return result;
}

void Unwinder::dropRules() noexcept {
    m_registry.clear();
    m_cache.clear();
}

UnwindResult Unwinder::walk(Registers registers, uint64_t* returnAddresses, size_t maxCount,
                            const StackBounds& bounds) noexcept {
    UnwindResult result;
    if (maxCount == 0) return {0, UnwindEnd::DepthLimit, false};
    returnAddresses[result.count++] = registers.ip;
    // sp may equal high only for the outermost frame of a stack that starts empty; nothing is read then.
    if (registers.sp < bounds.low || registers.sp > bounds.high || registers.sp % 8 != 0) {
        return {result.count, UnwindEnd::OutsideStack, false};
    }
    for (;;) {
        Rule rule = m_cache.find(registers.ip);
        if (rule.isEmpty()) [[unlikely]]
            rule = learnRule(registers.ip);
        const StepStatus status = applyRule(rule, bounds, &registers);
        if (status != StepStatus::Stepped) [[unlikely]] {
            const bool isSuspect = status == StepStatus::Unknown || status == StepStatus::BadStack;
            // A stale rule is the likeliest reason to land nowhere; unwindFrom() starts again when one was
            // found.
            if (isSuspect && dropStaleRules(returnAddresses, result.count)) return result;
            if (status != StepStatus::Unknown || !bridge(bounds, &registers)) {
                result.end = endOf(status);
                return result;
            }
            result.isBridged = true;
        }
        // Runtimes that build a thread's first frame themselves leave a null return address there.
        if (registers.ip == 0) return result;
        if (result.count == maxCount) {
            result.end = UnwindEnd::DepthLimit;
            return result;
        }
        returnAddresses[result.count++] = registers.ip;
    }
}

__attribute__((noinline)) Rule Unwinder::learnRule(uint64_t ip) noexcept {
    const uint32_t generation = m_cache.generation();
    ModuleRange module;
    // Code outside modules is not cached: a module may be mapped there later, and finding nothing is quick.
    if (!findModule(ip - 1, &module)) return Rule::ofKind(RuleKind::Unknown);
    const CompiledRule compiled = compileRule(module, ip);
    if (m_registry.recordAndCheck(module)) {
        m_cache.clear();
        return compiled.rule;
    }
    m_cache.insert(ip, compiled.rule, generation);
    return compiled.rule;
}

/// Compares the cached rules of the last two frames with the tables, and drops everything if one differs.
__attribute__((noinline)) bool Unwinder::dropStaleRules(const uint64_t* returnAddresses,
                                                        size_t count) noexcept {
    for (size_t i = count < 2 ? 0 : count - 2; i < count; ++i) {
        const Rule cached = m_cache.find(returnAddresses[i]);
        if (cached.isEmpty()) continue;
        ModuleRange module;
        if (findModule(returnAddresses[i] - 1, &module) &&
            compileRule(module, returnAddresses[i]).rule == cached) {
            continue;
        }
        dropRules();
        return true;
    }
    return false;
}

/// Steps over code without a table by its frame pointer, if the chain of frame pointers goes up the stack and
/// leads to code that has a table. Code built with the frame pointer as a common register fails that with
/// near certainty.
__attribute__((noinline)) bool Unwinder::bridge(const StackBounds& bounds, Registers* registers) noexcept {
    Registers probe = *registers;
    Registers caller;
    for (int i = 0; i < kMaxBridgedFrames; ++i) {
        if (stepByFramePointer(bounds, &probe) != StepStatus::Stepped) return false;
        if (i == 0) caller = probe;
        if (isReturnAddress(probe.ip)) {
            *registers = caller;
            return true;
        }
    }
    return false;
}

bool Unwinder::isReturnAddress(uint64_t ip) noexcept {
    ModuleRange module;
    if (ip == 0 || !findModule(ip - 1, &module)) return false;
    const CompiledRule compiled = compileRule(module, ip);
    return compiled.hasTableEntry && followsCall(ip, compiled.functionStart);
}

}  // namespace vramscope::unwind
