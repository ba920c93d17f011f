// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/open_module.h"

#include <algorithm>
#include <cctype>

#include "collector/symbols/debug_file_finder.h"
#include "collector/symbols/demangle.h"

namespace vramscope::symbols {
namespace {

constexpr std::size_t kMostPathBytes = 4096;

/// The collector keeps the first 32 bytes of a build id, in either case.
bool isSameBuild(std::string recorded, const std::string& found) {
    constexpr std::size_t kRecordedDigits = 64;
    std::ranges::transform(recorded, recorded.begin(), [](unsigned char c) { return std::tolower(c); });
    return recorded == (recorded.size() == kRecordedDigits ? found.substr(0, kRecordedDigits) : found);
}

/// The path without what /proc/PID/maps appends to the name of a file that was removed or replaced.
std::string withoutDeletedMark(std::string path) {
    constexpr std::string_view kMark = " (deleted)";
    if (path.ends_with(kMark)) path.resize(path.size() - kMark.size());
    return path;
}

SourcePlace placeOf(const DwarfFrame& frame) {
    return {demangle(frame.function), cleanText(frame.file, kMostPathBytes), frame.line};
}

}  // namespace

Symbolizer::OpenModule::OpenModule(ModuleFile file, const SymbolizerOptions& options)
    : m_file(std::move(file)) {
    const std::string& root = m_file.root.empty() ? options.root : m_file.root;
    openFile(root);
    if (m_problem != ModuleProblem::None) return;
    const bool isStripped = !m_main->hasDwarf();
    if (isStripped)
        m_debug = findDebugFile(*m_main, root, withoutDeletedMark(m_file.path), options.debugFolders);
    const ElfReader& dwarfFile = m_debug && m_debug->hasDwarf() ? *m_debug : *m_main;
    if (dwarfFile.hasDwarf() && dwarfFile.inflatedDebugBytes() <= options.mostInflatedBytes)
        m_dwarfFile = &dwarfFile;
}

void Symbolizer::OpenModule::openFile(const std::string& root) {
    // The kernel's vdso has a name without a folder and is no file; openRegularFile refuses such names.
    FileDescriptor file = openRegularFile(root, withoutDeletedMark(m_file.path));
    m_problem = file.isOpen() ? ModuleProblem::NotReadable : ModuleProblem::NoFile;
    if (!file.isOpen()) return;
    m_main = ElfReader::open(std::move(file));
    if (!m_main) return;
    // Without a build id on either side nothing speaks against the file, unless it is known to have been
    // removed.
    const bool isRemoved = m_file.buildId.empty() && withoutDeletedMark(m_file.path) != m_file.path;
    m_problem = isSameBuild(m_file.buildId, m_main->buildId()) && !isRemoved ? ModuleProblem::None
                                                                             : ModuleProblem::OtherFile;
}

std::string Symbolizer::OpenModule::symbolAt(std::uint64_t address) {
    if (!m_symbols) {
        const auto table = m_debug ? m_debug->symbolTable() : std::nullopt;
        // A separate file of debug information alone keeps an empty symbol table or none.
        const bool isDebugBetter = table && !table->isDynamic && table->count > 1;
        m_symbols = std::make_unique<SymbolIndex>(isDebugBetter ? *m_debug : *m_main);
    }
    return m_symbols->functionAt(address);
}

std::vector<DwarfFrame> Symbolizer::OpenModule::debugFramesAt(std::uint64_t address, Deadline deadline) {
    if (m_dwarfFile == nullptr) return {};
    const auto start = std::chrono::steady_clock::now();
    if (!m_dwarf) {
        m_dwarf = DwarfLookup::open(m_dwarfFile->file(), deadline);
        if (!m_dwarf) m_dwarfFile = nullptr;
    }
    std::vector<DwarfFrame> frames;
    if (m_dwarf) frames = m_dwarf->find(address, deadline);
    spent += std::chrono::steady_clock::now() - start;
    return frames;
}

ResolvedFrame Symbolizer::OpenModule::resolve(std::uint64_t address, Deadline deadline) {
    ResolvedFrame resolved;
    resolved.problem = m_problem;
    if (m_problem != ModuleProblem::None) return resolved;
    std::vector<DwarfFrame> frames = debugFramesAt(address, deadline);
    DwarfFrame real;
    if (!frames.empty()) {
        real = std::move(frames.back());
        frames.pop_back();
    }
    for (const DwarfFrame& frame : frames)
        resolved.inlined.push_back(placeOf(frame));
    if (!real.isMangled) {
        // A C++ name that is not mangled lacks its namespaces; the symbol table has them. C names are better
        // as the source has them: symbols may carry marks of the compiler (foo.isra.0) or be an alias.
        std::string symbol = symbolAt(address);
        if (real.function.empty() || symbol.starts_with("_Z")) real.function = std::move(symbol);
    }
    resolved.place = placeOf(real);
    return resolved;
}

}  // namespace vramscope::symbols
