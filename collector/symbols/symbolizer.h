// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace vramscope::symbols {

/// A program file as the capture names it.
struct ModuleFile {
    std::string path;     ///< as the job saw it
    std::string buildId;  ///< GNU build id in hexadecimal; empty when the file had none
    /// Folder that was the root folder of the process, for one in a container; empty for
    /// SymbolizerOptions::root.
    std::string root{};

    bool operator==(const ModuleFile&) const = default;
};

struct SymbolizerOptions {
    /// Folder that was the job's root folder, for a job in a container (for example /proc/PID/root); empty
    /// for ours.
    std::string root;
    /// Where separate debug files are kept.
    std::vector<std::string> debugFolders = {"/usr/lib/debug"};
    /// Time that debug information may cost for one module, and for all of them. Beyond it only symbol tables
    /// are used.
    std::chrono::milliseconds moduleBudget{5'000};
    std::chrono::milliseconds totalBudget{60'000};
    /// Modules kept open; the one not used for longest makes room.
    std::size_t mostOpenModules = 16;
    /// Compressed debug information is unpacked into memory by libdw; a file with more than this is used for
    /// its symbols only.
    std::uint64_t mostInflatedBytes = std::uint64_t{512} << 20;
};

/// A place in a source file. Empty and 0 stand for what is not known.
struct SourcePlace {
    std::string function;
    std::string file;
    std::uint32_t line = 0;

    bool operator==(const SourcePlace&) const = default;
};

/// Why a module gives no names at all.
enum class ModuleProblem {
    None,
    NoFile,       ///< gone, or never a file (the kernel's vdso)
    OtherFile,    ///< another file is under that path now: its build id differs
    NotReadable,  ///< damaged, or no 64-bit ELF file
};

/// What is at an address.
struct ResolvedFrame {
    SourcePlace place;                 ///< the real function, and the line that is running in it
    std::vector<SourcePlace> inlined;  ///< functions inlined there, innermost first
    ModuleProblem problem = ModuleProblem::None;

    bool isEmpty() const { return place.function.empty() && place.file.empty(); }
};

/// Turns addresses in program files into functions, files and lines. Files are read piece by piece or mapped,
/// never read whole; a damaged one gives no names, and one that was replaced since the recording gives none
/// either. Asking for addresses of one module in rising order is fastest. Not safe for two threads at once.
class Symbolizer {
public:
    explicit Symbolizer(SymbolizerOptions options = {});
    ~Symbolizer();

    /// `returnAddress` is an address as the file counts it (`modules.load_bias` subtracted) that follows a
    /// call: the instruction before it is what is looked up, so that a call that ends a function belongs to
    /// that function.
    ResolvedFrame resolve(const ModuleFile& module, std::uint64_t returnAddress);

    /// True when debug information was left out because its time was used up.
    bool isOverBudget() const { return m_isOverBudget; }

private:
    class OpenModule;
    OpenModule& open(const ModuleFile& file);

    SymbolizerOptions m_options;
    std::list<std::unique_ptr<OpenModule>> m_modules;  // latest used first
    std::chrono::steady_clock::duration m_spent{};
    bool m_isOverBudget = false;
};

}  // namespace vramscope::symbols
