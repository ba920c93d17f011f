// SPDX-License-Identifier: Apache-2.0
// Ranges whose push or pop the ring had no room for, and a recorder that takes over from another: from NVTX's
// headers to the rows of the capture, in one process.

#include <stdexcept>
#include <string>

#include "collector/inject/collector.h"
#include "collector/recorder/process_recorder.h"
#include "formats/schema.h"
#include "tests/collector/nvtx_fixture.h"

namespace vramscope::tests {
namespace {

using collector::ProcessRecorder;

template <typename T>
T must(StatusOr<T> result) {
    if (!result.isOk()) throw std::runtime_error(result.status().message());
    return std::move(result.value());
}

formats::Connection newCapture() {
    formats::Connection connection = must(formats::Connection::openInMemory());
    EXPECT_TRUE(formats::createSchema(connection).isOk());
    return connection;
}

class NvtxLostTest : public NvtxTest {
protected:
    void SetUp() override {
        NvtxTest::SetUp();
        collector::g_collector.config.onFull = collector::OnFull::Drop;
        m_sink = must(collector::CaptureSink::open(m_connection, m_clock, 0));
        m_devices = std::make_unique<collector::DeviceTable>(*m_sink);
        openRecorder();
        m_process->start();
    }
    void openRecorder() {
        m_process = std::make_unique<ProcessRecorder>(*m_sink, *m_devices,
                                                      must(collector::ArenaView::open(m_arena.file())), 1, 1);
    }
    std::uint64_t ringDrops() const {
        return m_arena.drops(static_cast<unsigned>(formats::DropReason::RingFull));
    }
    /// Until not even a record of one slot fits.
    void fillRing() {
        for (const std::uint64_t before = ringDrops(); ringDrops() == before;)
            nvtxMarkA("filling");
        for (const std::uint64_t before = ringDrops(); ringDrops() == before;)
            nvtxNameOsThreadA(1, "");
    }
    void drain() {
        m_process->advance(m_clock.now());
        m_process->writePositions();
        EXPECT_TRUE(m_sink->commit().isOk());
        m_process->releaseCommitted();
    }
    /// "NAME LEVEL LOST" of each range, and whether it ended after the mark "late".
    Lines ranges() {
        formats::Statement rows = must(m_connection.prepare(
            "SELECT name, level, coalesce(lost, 'whole'), end_ns IS NULL, end_ns > (SELECT start_ns FROM "
            "phases WHERE name = 'late') FROM phases WHERE kind <> 'mark' ORDER BY phase_id"));
        Lines lines;
        while (must(rows.step())) {
            std::string& line = lines.emplace_back(rows.columnText(0));
            line.append(1, ' ').append(rows.columnText(1)).append(1, ' ').append(rows.columnText(2));
            line.append(rows.columnInt(3) != 0 ? " open" : rows.columnInt(4) != 0 ? " late" : " early");
        }
        return lines;
    }

    formats::Connection m_connection = newCapture();
    collector::TickClock m_clock{formats::ClockKind::Monotonic};
    std::unique_ptr<collector::CaptureSink> m_sink;
    std::unique_ptr<collector::DeviceTable> m_devices;
    std::unique_ptr<ProcessRecorder> m_process;
};

TEST_F(NvtxLostTest, APushThatWasLostLeavesTheOuterRangeOpen) {
    nvtxRangePushA("outer");
    fillRing();
    nvtxRangePushA("inner");
    drain();
    nvtxRangePop();
    nvtxMarkA("late");
    nvtxRangePop();
    drain();
    EXPECT_EQ(ranges(), (Lines{"outer 0 whole late", " 1 begin early"}));
}

TEST_F(NvtxLostTest, APopThatWasLostEndsAtTheNextRecordOfItsLevel) {
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    fillRing();
    nvtxRangePop();
    drain();
    nvtxRangePushA("next");
    nvtxRangePop();
    nvtxMarkA("late");
    nvtxRangePop();
    drain();
    EXPECT_EQ(ranges(), (Lines{"outer 0 whole late", "inner 1 end early", "next 1 whole early"}));
}

TEST_F(NvtxLostTest, LostRangesOfADomainKeepItsName) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("lossy");
    const nvtxEventAttributes_t range = event("range");
    fillRing();
    nvtxDomainRangePushEx(domain, &range);
    drain();
    nvtxDomainRangePop(domain);
    drain();
    EXPECT_EQ(*must(m_connection.queryText("SELECT domain FROM phases WHERE lost = 'begin'")), "lossy");
}

TEST_F(NvtxLostTest, APushWhileNothingWasRecordedIsNoLoss) {
    m_arena.stop();
    nvtxRangePushA("early");
    m_arena.start();
    nvtxRangePushA("inner");
    nvtxRangePop();
    nvtxRangePop();
    drain();
    EXPECT_EQ(ranges(), Lines{"inner 1 whole early"});
}

TEST_F(NvtxLostTest, ARecorderThatTakesOverEndsOpenRanges) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("resumed");
    const nvtxEventAttributes_t inner = event("in a domain");
    nvtxRangePushA("outer");
    nvtxDomainRangePushEx(domain, &inner);
    const nvtxRangeId_t whole = nvtxRangeStartA("whole run");
    drain();
    openRecorder();
    ASSERT_TRUE(m_process->resume(m_connection).isOk());
    nvtxMarkA("late");
    nvtxDomainRangePop(domain);
    nvtxRangeEnd(whole);
    nvtxRangePop();
    drain();
    EXPECT_EQ(ranges(), (Lines{"outer 0 whole late", "in a domain 0 whole late", "whole run  whole late"}));
}

}  // namespace
}  // namespace vramscope::tests
