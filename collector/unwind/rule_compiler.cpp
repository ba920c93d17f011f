// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/rule_compiler.h"

#include "collector/unwind/cfi_program.h"
#include "collector/unwind/eh_frame.h"

namespace vramscope::unwind {
namespace {

bool findTables(const ModuleRange& module, EhFrameTables* tables) noexcept {
    tables->header = ehFrameHeader(module);
    if (tables->header.empty() || !readFrameStart(tables->header, &tables->frameStart)) return false;
    tables->frameSegment = readableSegment(module, tables->frameStart);
    return !tables->frameSegment.empty();
}

}  // namespace

CompiledRule compileRule(const ModuleRange& module, uint64_t returnAddress) noexcept {
    CompiledRule compiled;
    EhFrameTables tables;
    CfiProgram program;
    // The call is the instruction before; when it is the last of its function the return address is already
    // in the next one.
    const uint64_t pc = returnAddress - 1;
    if (!findTables(module, &tables) || !findFde(tables, pc, &program)) return compiled;
    compiled.functionStart = program.startIp;
    if (program.isSignalFrame) {
        compiled.hasTableEntry = true;
        compiled.rule = Rule::ofKind(RuleKind::SignalFrame);
        return compiled;
    }
    // A table that speaks of addresses outside its own module is damaged.
    compiled.hasTableEntry = program.startIp >= module.start && program.endIp <= module.end;
    program.framePointerRegister = kFramePointerRegister;
    FrameRow row;
    if (!compiled.hasTableEntry || program.returnAddressRegister != kReturnAddressRegister) return compiled;
    if (rowAt(program, pc, &row)) compiled.rule = ruleFromRow(row, pc);
    return compiled;
}

}  // namespace vramscope::unwind
