// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/debug_file_finder.h"

#include <algorithm>
#include <array>

namespace vramscope::symbols {
namespace {

// A debug file that must be told by its checksum is read whole: not worth it above this.
constexpr std::uint64_t kMostChecksummedBytes = 512U << 20;

/// CRC-32 of the whole file, the one that .gnu_debuglink holds (polynomial 0xEDB88320, as in zlib).
std::optional<std::uint32_t> checksumOf(const FileDescriptor& file) {
    static const std::array<std::uint32_t, 256> kTable = [] {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value & 1) != 0 ? 0xEDB8'8320U ^ (value >> 1) : value >> 1;
            table[i] = value;
        }
        return table;
    }();
    const std::uint64_t total = fileSizeBytes(file);
    if (total > kMostChecksummedBytes) return std::nullopt;
    std::uint32_t crc = ~std::uint32_t{0};
    std::vector<std::byte> block;
    for (std::uint64_t at = 0; at < total; at += block.size()) {
        block.resize(std::min<std::uint64_t>(64U << 10, total - at));
        if (!readFully(file, at, block)) return std::nullopt;
        for (const std::byte byte : block)
            crc = kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF] ^ (crc >> 8);
    }
    return ~crc;
}

/// Debug packages are installed on the machine that resolves as often as in the container that ran the job.
std::optional<ElfReader> openCandidate(const std::string& root, const std::string& path) {
    std::optional<ElfReader> reader = ElfReader::open(openRegularFile(root, path));
    if (!reader && !root.empty()) reader = ElfReader::open(openRegularFile({}, path));
    return reader;
}

bool isUseful(const ElfReader& reader) {
    return reader.hasDwarf() || reader.symbolTable().has_value();
}

}  // namespace

std::optional<ElfReader> findDebugFile(const ElfReader& module, const std::string& root,
                                       const std::string& modulePath,
                                       const std::vector<std::string>& debugFolders) {
    const std::string& id = module.buildId();
    if (id.size() > 2) {
        for (const std::string& folder : debugFolders) {
            const std::string path = folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
            std::optional<ElfReader> reader = openCandidate(root, path);
            if (reader && reader->buildId() == id && isUseful(*reader)) return reader;
        }
    }
    const std::optional<DebugLink> link = module.debugLink();
    if (!link) return std::nullopt;
    const std::string folder = modulePath.substr(0, modulePath.rfind('/'));
    std::vector<std::string> paths = {folder + "/" + link->fileName, folder + "/.debug/" + link->fileName};
    for (const std::string& debugFolder : debugFolders)
        paths.push_back(debugFolder + folder + "/" + link->fileName);
    for (const std::string& path : paths) {
        // A link to the module's own name, as some packagers write it, must not find the module itself.
        if (path == modulePath) continue;
        std::optional<ElfReader> reader = openCandidate(root, path);
        if (!reader || !isUseful(*reader)) continue;
        if (id.empty() ? checksumOf(reader->file()) == link->crc : reader->buildId() == id) return reader;
    }
    return std::nullopt;
}

}  // namespace vramscope::symbols
