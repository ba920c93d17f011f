// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/exact_records.h"

#include <algorithm>

#include "collector/inject/clock.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector {

using device::ExactMarks;
using device::ExactOutside;
using device::ExactPiece;
using formats::RecordType;

namespace {

/// Bytes [begin, end); empty when nothing was touched. With low halves of the program counters that touched
/// the first and the last of them, where they are kept.
struct Touched {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t firstPc = 0;
    std::uint32_t lastPc = 0;

    bool isEmpty() const { return begin == end; }
};

Touched touched(const ExactPiece& piece, std::uint64_t low, std::uint64_t high) {
    if (low == 0 || high == 0) return {};
    return {piece.begin + piece.sizeBytes - low, piece.begin + high};
}

Touched written(const ExactPiece& piece, std::uint64_t low, std::uint64_t high) {
    Touched bytes = touched(piece, low >> 32, high >> 32);
    bytes.firstPc = static_cast<std::uint32_t>(low);
    bytes.lastPc = static_cast<std::uint32_t>(high);
    return bytes;
}

bool tell(ThreadState& thread, std::uint64_t number, const Touched& bytes, std::uint8_t detail) {
    formats::Record* record = reserve(thread, 1);
    if (record == nullptr) return false;
    record->header.type = static_cast<std::uint16_t>(RecordType::ExactAccess);
    record->header.slotCount = 1;
    record->header.detail = detail;
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->exactAccess = {number, bytes.begin, bytes.end - bytes.begin, bytes.firstPc, bytes.lastPc};
    publish(thread, 1);
    return true;
}

/// Accesses of one kind, piece after piece. Pieces of one buffer whose touched bytes meet are told as one.
class Teller {
public:
    Teller(ThreadState& thread, std::uint64_t number, std::uint8_t detail)
        : m_thread(thread), m_number(number), m_detail(detail) {}

    void add(const Touched& bytes, bool beginsBuffer) {
        if (bytes.isEmpty()) return;
        if (!m_open.isEmpty() && !beginsBuffer && bytes.begin == m_open.end) {
            m_open.end = bytes.end;
            m_open.lastPc = bytes.lastPc;
            return;
        }
        close();
        m_open = bytes;
    }
    bool finish() {
        close();
        return m_isWhole;
    }

private:
    void close() {
        if (!m_open.isEmpty()) m_isWhole = tell(m_thread, m_number, m_open, m_detail) && m_isWhole;
        m_open = {};
    }

    ThreadState& m_thread;
    std::uint64_t m_number;
    std::uint8_t m_detail;
    Touched m_open;
    bool m_isWhole = true;
};

ExactMarks joined(const LaunchMarks& launch, std::uint32_t piece) {
    const ExactMarks* marks = launch.marks + std::size_t{piece} * launch.stripes;
    ExactMarks all = marks[0];
    for (std::uint32_t stripe = 1; stripe < launch.stripes; ++stripe) {
        all.readLow = std::max(all.readLow, marks[stripe].readLow);
        all.readHigh = std::max(all.readHigh, marks[stripe].readHigh);
        all.writeLowPlace = std::max(all.writeLowPlace, marks[stripe].writeLowPlace);
        all.writeHighPlace = std::max(all.writeHighPlace, marks[stripe].writeHighPlace);
    }
    return all;
}

bool tellOutside(ThreadState& thread, std::uint64_t number, const ExactOutside& outside,
                 std::uint8_t detail) {
    if (outside.high == 0) return true;
    const auto pc = static_cast<std::uint32_t>(outside.pc);
    const bool isPcKnown = (outside.pc & device::kExactPcKnown) != 0;
    return tell(thread, number, {~outside.lowComplement, outside.high, pc, pc},
                detail | formats::kExactOutside | (isPcKnown ? formats::kExactHasPc : 0));
}

}  // namespace

void tellExactLaunch(ThreadState& thread, const OpenCall& call, std::uint64_t number, const char* kernel,
                     std::uint64_t pc) {
    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(thread, kernel != nullptr ? kernel : "", nullptr, textBytes);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(RecordType::ExactLaunch);
    record->header.enterTicks = call.enterTicks;
    record->header.exitTicks = nowTicks();
    record->text.handle = number;
    record->text.extra = pc;
    record->text.textBytes = textBytes;
    publish(thread, record->header.slotCount);
}

bool tellExactAccesses(ThreadState& thread, const LaunchMarks& launch) {
    Teller reads(thread, launch.number, 0);
    Teller writes(thread, launch.number, formats::kExactWrite | formats::kExactHasPc);
    for (std::uint32_t i = 0; i < launch.table.pieceCount(); ++i) {
        const ExactMarks marks = joined(launch, i);
        const ExactPiece& piece = launch.table.pieces()[i];
        reads.add(touched(piece, marks.readLow, marks.readHigh), launch.table.beginsBuffer(i));
        writes.add(written(piece, marks.writeLowPlace, marks.writeHighPlace), launch.table.beginsBuffer(i));
    }
    const bool isOutsideTold = tellOutside(thread, launch.number, launch.outside[0], 0) &&
                               tellOutside(thread, launch.number, launch.outside[1], formats::kExactWrite);
    const bool areReadsTold = reads.finish();
    return writes.finish() && areReadsTold && isOutsideTold;
}

}  // namespace vramscope::collector
