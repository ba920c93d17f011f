// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/eh_frame.h"

#include "collector/unwind/address.h"
#include "collector/unwind/dwarf_pointer.h"

namespace vramscope::unwind {
namespace {

constexpr uint8_t kHeaderVersion = 1;
constexpr uint8_t kUdata4 = 0x03;
constexpr uint8_t kDatarelSdata4 = 0x3b;
constexpr uint32_t kExtendedLength = 0xffffffff;

struct Header {
    uint64_t frameStart = 0;
    uint64_t tableEntries = 0;  ///< 0 when there is no table that we can search
    ByteRange table;
};

bool readHeader(ByteRange bytes, Header* header) noexcept {
    ByteReader reader(bytes);
    const auto base = reinterpret_cast<uint64_t>(bytes.begin);
    if (reader.read<uint8_t>() != kHeaderVersion) return false;
    const uint8_t frameEncoding = reader.read<uint8_t>();
    const uint8_t countEncoding = reader.read<uint8_t>();
    const uint8_t tableEncoding = reader.read<uint8_t>();
    if (frameEncoding == kPointerOmitted) return false;
    if (!readPointer(reader, frameEncoding, base, &header->frameStart)) return false;
    if (countEncoding != kUdata4 || tableEncoding != kDatarelSdata4) return true;
    const uint64_t entries = reader.read<uint32_t>();
    header->table = reader.readRange(entries * 8);
    header->tableEntries = reader.ok() ? entries : 0;
    return true;
}

/// An entry of .eh_frame: a CIE when `id` is 0, else an FDE whose CIE starts `id` bytes before the id field.
struct Entry {
    const uint8_t* idField = nullptr;
    uint32_t id = 0;
    ByteRange body;
};

enum class EntryStatus : uint8_t { Ok, End, Malformed };

EntryStatus readEntry(ByteReader& reader, Entry* entry) noexcept {
    const auto length = reader.read<uint32_t>();
    if (!reader.ok() || length == kExtendedLength) return EntryStatus::Malformed;
    if (length == 0) return EntryStatus::End;
    const ByteRange whole = reader.readRange(length);
    if (!reader.ok() || length < sizeof(uint32_t)) return EntryStatus::Malformed;
    ByteReader inner(whole);
    entry->idField = inner.position();
    entry->id = inner.read<uint32_t>();
    entry->body = inner.rest();
    return EntryStatus::Ok;
}

/// Reads the augmentation of a CIE up to the letter that we do not know; what is after it is skipped by
/// length.
bool readAugmentation(ByteRange letters, ByteRange data, CfiProgram* program) noexcept {
    ByteReader reader(data);
    for (const uint8_t* letter = letters.begin; letter != letters.end; ++letter) {
        uint64_t skipped = 0;
        switch (*letter) {
            case 'R':
                program->pointerEncoding = reader.read<uint8_t>();
                break;
            case 'P':
                if (!readPointerNumber(reader, reader.read<uint8_t>(), &skipped)) return false;
                break;
            case 'L':
                reader.skip(1);
                break;
            case 'S':
                program->isSignalFrame = true;
                break;
            case 'B':  // aarch64: the return address is signed with the B key; no data
                break;
            default:
                return false;
        }
    }
    return reader.ok();
}

bool readCie(ByteRange body, CfiProgram* program, bool* isAugmented) noexcept {
    ByteReader reader(body);
    const uint8_t version = reader.read<uint8_t>();
    if (version != 1 && version != 3) return false;
    const uint8_t* letters = reader.position();
    while (reader.ok() && reader.read<uint8_t>() != 0) {
    }
    if (!reader.ok()) return false;
    const ByteRange augmentation{letters, reader.position() - 1};
    program->codeAlign = reader.readUleb();
    program->dataAlign = reader.readSleb();
    program->returnAddressRegister = version == 1 ? reader.read<uint8_t>() : reader.readUleb();
    *isAugmented = !augmentation.empty();
    program->pointerEncoding = 0;
    if (*isAugmented) {
        if (*augmentation.begin != 'z') return false;
        const ByteRange data = reader.readRange(reader.readUleb());
        if (!readAugmentation({augmentation.begin + 1, augmentation.end}, data, program)) return false;
    }
    program->initialInstructions = reader.rest();
    return reader.ok();
}

/// Fills `program` from an FDE and its CIE.
bool readFde(const EhFrameTables& tables, const Entry& fde, CfiProgram* program) noexcept {
    const auto offset = static_cast<uint64_t>(fde.idField - tables.frameSegment.begin);
    if (fde.id == 0 || fde.id > offset) return false;
    ByteReader cieReader({fde.idField - fde.id, tables.frameSegment.end});
    Entry cie;
    if (readEntry(cieReader, &cie) != EntryStatus::Ok || cie.id != 0) return false;
    bool isAugmented = false;
    *program = {};
    if (!readCie(cie.body, program, &isAugmented)) return false;

    ByteReader reader(fde.body);
    uint64_t sizeBytes = 0;
    if (!readPointer(reader, program->pointerEncoding, 0, &program->startIp)) return false;
    if (!readPointerNumber(reader, program->pointerEncoding, &sizeBytes)) return false;
    program->endIp = program->startIp + sizeBytes;
    if (program->endIp < program->startIp) return false;
    if (isAugmented) reader.skip(reader.readUleb());
    program->instructions = reader.rest();
    return reader.ok();
}

bool readFdeAt(const EhFrameTables& tables, uint64_t address, uint64_t pc, CfiProgram* program) noexcept {
    const auto* position = pointerAt<const uint8_t>(address);
    if (!tables.frameSegment.contains(position)) return false;
    ByteReader reader({position, tables.frameSegment.end});
    Entry entry;
    if (readEntry(reader, &entry) != EntryStatus::Ok || !readFde(tables, entry, program)) return false;
    return pc >= program->startIp && pc < program->endIp;
}

struct TableEntry {
    int32_t start;
    int32_t fde;
};

TableEntry tableEntryAt(const Header& header, uint64_t index) noexcept {
    ByteReader reader({header.table.begin + index * 8, header.table.end});
    const auto start = reader.read<int32_t>();
    return {start, reader.read<int32_t>()};
}

bool searchTable(const EhFrameTables& tables, const Header& header, uint64_t pc,
                 CfiProgram* program) noexcept {
    const auto base = reinterpret_cast<uint64_t>(tables.header.begin);
    const auto wanted = static_cast<int64_t>(pc - base);
    uint64_t low = 0;
    uint64_t high = header.tableEntries;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (tableEntryAt(header, middle).start <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) return false;
    const int64_t fde = tableEntryAt(header, low - 1).fde;
    return readFdeAt(tables, base + static_cast<uint64_t>(fde), pc, program);
}

bool searchLinearly(const EhFrameTables& tables, uint64_t pc, CfiProgram* program) noexcept {
    const auto* start = pointerAt<const uint8_t>(tables.frameStart);
    if (!tables.frameSegment.contains(start)) return false;
    ByteReader reader({start, tables.frameSegment.end});
    Entry entry;
    while (readEntry(reader, &entry) == EntryStatus::Ok) {
        if (entry.id == 0 || !readFde(tables, entry, program)) continue;
        if (pc >= program->startIp && pc < program->endIp) return true;
    }
    return false;
}

}  // namespace

bool readFrameStart(ByteRange header, uint64_t* frameStart) noexcept {
    Header parsed;
    if (!readHeader(header, &parsed)) return false;
    *frameStart = parsed.frameStart;
    return true;
}

bool findFde(const EhFrameTables& tables, uint64_t pc, CfiProgram* program) noexcept {
    Header header;
    if (!readHeader(tables.header, &header)) return false;
    if (header.tableEntries != 0) return searchTable(tables, header, pc, program);
    return searchLinearly(tables, pc, program);
}

}  // namespace vramscope::unwind
