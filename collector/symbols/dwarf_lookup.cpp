// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/dwarf_lookup.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <optional>
#include <unordered_set>

namespace vramscope::symbols {
namespace {

constexpr std::size_t kMostRanges = 8U << 20;
constexpr std::size_t kMostRangesOfOne = 64U << 10;
constexpr std::size_t kMostVisited = 20'000'000;
constexpr std::size_t kDeepest = 256;
constexpr std::size_t kMostLineRows = 2'000'000;

bool isPast(Deadline deadline) {
    return std::chrono::steady_clock::now() >= deadline;
}

/// Addresses of a unit or of a function, and where its entry is in .debug_info.
struct Range {
    Dwarf_Addr begin;
    Dwarf_Addr end;
    Dwarf_Off entry;
};

void addRanges(Dwarf_Die& die, std::vector<Range>& ranges) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    ptrdiff_t at = 0;
    for (std::size_t i = 0; i < kMostRangesOfOne && ranges.size() < kMostRanges; ++i) {
        at = dwarf_ranges(&die, at, &base, &begin, &end);
        if (at <= 0) return;
        // Functions that the linker threw away are left at address 0.
        if (begin != 0 && begin < end) ranges.push_back({begin, end, dwarf_dieoffset(&die)});
    }
}

/// The range with the latest beginning that holds `address`. A few are tried: functions of partly inlined
/// code nest.
const Range* findRange(const std::vector<Range>& ranges, Dwarf_Addr address) {
    auto at = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
    for (int tried = 0; at != ranges.begin() && tried < 16; ++tried)
        if (address < (--at)->end) return &*at;
    return nullptr;
}

bool mayHoldFunctions(int tag) {
    switch (tag) {
        case DW_TAG_namespace:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_module:
            return true;
        default:
            return false;
    }
}

bool isBlock(int tag) {
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block;
}

void setName(Dwarf_Die& die, DwarfFrame& frame) {
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
        if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) continue;
        const char* text = dwarf_formstring(&attribute);
        if (text == nullptr) continue;
        frame.function = text;
        frame.isMangled = name != DW_AT_name;
        return;
    }
}

std::optional<Dwarf_Word> numberOf(Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
        return std::nullopt;
    return value;
}

void setLine(DwarfFrame& frame, const char* file, Dwarf_Word line) {
    if (file != nullptr) frame.file = file;
    if (line <= 0x7FFF'FFFF) frame.line = static_cast<std::uint32_t>(line);
}

/// Where the inlined function `die` is called from.
void setCallSite(Dwarf_Die& unit, Dwarf_Die& die, DwarfFrame& frame) {
    const std::optional<Dwarf_Word> file = numberOf(die, DW_AT_call_file);
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const bool isKnown = file && dwarf_getsrcfiles(&unit, &files, &count) == 0 && *file < count;
    setLine(frame, isKnown ? dwarf_filesrc(files, *file, nullptr, nullptr) : nullptr,
            numberOf(die, DW_AT_call_line).value_or(0));
}

}  // namespace

struct DwarfLookup::State {
    explicit State(int file) : descriptor(file) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { close(); }

    bool open() {
        elf_version(EV_CURRENT);
        elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
        dwarf = elf == nullptr ? nullptr : dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
        return dwarf != nullptr;
    }
    void close() {
        dwarf_end(dwarf);
        elf_end(elf);
        dwarf = nullptr;
        elf = nullptr;
    }
    void indexUnits(Deadline deadline);
    void indexFunctions(Dwarf_Die& unit, Deadline deadline);
    bool keepLineTablesSmall(Dwarf_Off unitEntry);
    /// Inlined calls that hold `address`, outermost first.
    std::vector<Dwarf_Die> inlinedCalls(Dwarf_Die function, Dwarf_Addr address) const;

    int descriptor;
    Elf* elf = nullptr;
    Dwarf* dwarf = nullptr;
    std::vector<Range> units;
    Dwarf_Off functionsOf = 0;  // entry of the unit that `functions` is about
    std::vector<Range> functions;
    std::unordered_set<Dwarf_Off> unitsWithLines;
    std::size_t lineRows = 0;
};

void DwarfLookup::State::indexUnits(Deadline deadline) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    // No place for the split unit is given, so that libdw does not look for .dwo files under paths of the
    // file's choosing.
    for (std::size_t i = 0; dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0; ++i) {
        if (i % 64 == 63 && isPast(deadline)) break;
        addRanges(die, units);
    }
    std::ranges::sort(units, {}, &Range::begin);
}

void DwarfLookup::State::indexFunctions(Dwarf_Die& unit, Deadline deadline) {
    functionsOf = dwarf_dieoffset(&unit);
    functions.clear();
    // The next entry to look at, at each depth.
    std::vector<Dwarf_Die> next(1);
    if (dwarf_child(&unit, &next[0]) != 0) return;
    for (std::size_t visited = 1; !next.empty() && visited < kMostVisited; ++visited) {
        if (visited % 4096 == 0 && isPast(deadline)) break;
        Dwarf_Die die = next.back();
        if (dwarf_siblingof(&die, &next.back()) != 0) next.pop_back();
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram) addRanges(die, functions);
        Dwarf_Die child;
        if (mayHoldFunctions(tag) && next.size() < kDeepest && dwarf_child(&die, &child) == 0)
            next.push_back(child);
    }
    std::ranges::sort(functions, {}, &Range::begin);
}

bool DwarfLookup::State::keepLineTablesSmall(Dwarf_Off unitEntry) {
    if (lineRows <= kMostLineRows || unitsWithLines.contains(unitEntry)) return true;
    // libdw frees what it has unpacked only when the whole file is let go.
    close();
    unitsWithLines.clear();
    lineRows = 0;
    return open();
}

std::vector<Dwarf_Die> DwarfLookup::State::inlinedCalls(Dwarf_Die function, Dwarf_Addr address) const {
    std::vector<Dwarf_Die> calls;
    Dwarf_Die die;
    int end = dwarf_child(&function, &die);
    std::size_t depth = 0;
    for (std::size_t visited = 0; end == 0 && visited < kMostVisited && depth < kDeepest; ++visited) {
        if (!isBlock(dwarf_tag(&die)) || dwarf_haspc(&die, address) != 1) {
            Dwarf_Die here = die;
            end = dwarf_siblingof(&here, &die);
            continue;
        }
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine) calls.push_back(die);
        Dwarf_Die here = die;
        end = dwarf_child(&here, &die);
        ++depth;
    }
    return calls;
}

DwarfLookup::DwarfLookup(std::unique_ptr<State> state) : m_state(std::move(state)) {}
DwarfLookup::~DwarfLookup() = default;

std::unique_ptr<DwarfLookup> DwarfLookup::open(const FileDescriptor& file, Deadline deadline) {
    auto state = std::make_unique<State>(file.get());
    if (!state->open()) return nullptr;
    state->indexUnits(deadline);
    if (state->units.empty()) return nullptr;
    return std::unique_ptr<DwarfLookup>(new DwarfLookup(std::move(state)));
}

std::vector<DwarfFrame> DwarfLookup::find(std::uint64_t address, Deadline deadline) {
    State& state = *m_state;
    const Range* covering = findRange(state.units, address);
    if (covering == nullptr || isPast(deadline) || !state.keepLineTablesSmall(covering->entry)) return {};
    Dwarf_Die unit;
    if (dwarf_offdie(state.dwarf, covering->entry, &unit) == nullptr) return {};
    if (state.functionsOf != covering->entry) state.indexFunctions(unit, deadline);

    Dwarf_Lines* lines = nullptr;
    std::size_t lineCount = 0;
    DwarfFrame place;
    if (dwarf_getsrclines(&unit, &lines, &lineCount) == 0) {
        if (state.unitsWithLines.insert(covering->entry).second) state.lineRows += lineCount;
        int number = 0;
        Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
        if (line != nullptr && dwarf_lineno(line, &number) == 0 && number >= 0)
            setLine(place, dwarf_linesrc(line, nullptr, nullptr), static_cast<Dwarf_Word>(number));
    }
    std::vector<DwarfFrame> frames;
    Dwarf_Die function;
    const Range* body = findRange(state.functions, address);
    if (body == nullptr || dwarf_offdie(state.dwarf, body->entry, &function) == nullptr) {
        if (!place.file.empty()) frames.push_back(std::move(place));
        return frames;
    }
    std::vector<Dwarf_Die> calls = state.inlinedCalls(function, address);
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
        setName(*call, place);
        frames.push_back(std::move(place));
        place = {};
        setCallSite(unit, *call, place);
    }
    setName(function, place);
    frames.push_back(std::move(place));
    return frames;
}

}  // namespace vramscope::symbols
