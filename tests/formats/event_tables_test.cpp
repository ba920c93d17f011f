// SPDX-License-Identifier: Apache-2.0
#include "formats/event_tables.h"

#include <gtest/gtest.h>

#include "formats/event_writer.h"
#include "formats/schema.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

class EventTables : public testing::Test {
protected:
    EventTables() : m_connection(std::move(Connection::openInMemory().value())) {
        EXPECT_TRUE(createSchema(m_connection).isOk());
        EXPECT_TRUE(registerEventTables(m_connection).isOk());
        m_rows.emplace(std::move(ChunkRowWriter::make(m_connection).value()));
    }

    template <typename Event>
    void store(const std::vector<Event>& events, std::size_t flushEvery = 1000) {
        EventWriter<Event> writer(m_encoder, *m_rows);
        for (std::size_t i = 0; i < events.size(); ++i) {
            ASSERT_TRUE(writer.add(events[i]).isOk());
            if (i % flushEvery == 0) {
                ASSERT_TRUE(writer.flush().isOk());
            }
        }
        ASSERT_TRUE(writer.finishChunk().isOk());
    }

    std::int64_t number(const std::string& sql) {
        const auto result = m_connection.queryInt(sql);
        EXPECT_TRUE(result.isOk()) << result.status().message();
        return result.isOk() ? result->value_or(-1) : -2;
    }
    std::string text(const std::string& sql) {
        const auto result = m_connection.queryText(sql);
        EXPECT_TRUE(result.isOk()) << result.status().message();
        return result.isOk() ? result->value_or("NULL") : "error";
    }

    Connection m_connection;
    ChunkEncoder m_encoder;
    std::optional<ChunkRowWriter> m_rows;
};

TEST_F(EventTables, LaunchesAgreeWithWhatWasStored) {
    TrainingLoop loop;
    const auto events = loop.launches(40'000);
    store(events);
    EXPECT_EQ(number("SELECT count(*) FROM event_chunks"), 3);
    EXPECT_EQ(number("SELECT count(*) FROM launches"), 40'000);

    StatusOr<Statement> all = m_connection.prepare(
        "SELECT enter_ns, exit_ns, kernel_id, grid_x, argument_set_id, stack_id FROM launches ORDER BY "
        "enter_ns");
    ASSERT_TRUE(all.isOk()) << all.status().message();
    for (const LaunchEvent& event : events) {
        ASSERT_TRUE(*all->step());
        ASSERT_EQ(all->columnInt(0), event.enterNs);
        ASSERT_EQ(all->columnInt(1), event.exitNs);
        ASSERT_EQ(all->columnInt(2), event.kernelId);
        ASSERT_EQ(all->columnInt(3), event.gridX);
        ASSERT_EQ(all->columnInt(4), event.argumentSetId);
        ASSERT_EQ(all->columnInt(5), event.stackId);
    }
}

TEST_F(EventTables, TimeRangesGiveWhatAPlainScanGives) {
    TrainingLoop loop;
    const auto events = loop.launches(40'000);
    store(events);
    const std::int64_t low = events[10'000].enterNs;
    const std::int64_t high = events[30'000].enterNs;
    const std::string lowText = std::to_string(low);
    const std::string highText = std::to_string(high);
    EXPECT_EQ(number("SELECT count(*) FROM launches WHERE enter_ns BETWEEN " + lowText + " AND " + highText),
              20'001);
    EXPECT_EQ(
        number("SELECT count(*) FROM launches WHERE enter_ns > " + lowText + " AND enter_ns < " + highText),
        19'999);
    EXPECT_EQ(number("SELECT count(*) FROM launches WHERE enter_ns = " + lowText), 1);
    EXPECT_EQ(number("SELECT count(*) FROM launches WHERE enter_ns >= " + lowText + ".5"), 29'999);
    EXPECT_EQ(number("SELECT count(*) FROM launches WHERE enter_ns < 'text'"), 40'000)
        << "numbers sort before text";
    EXPECT_EQ(number("SELECT count(*) FROM launches WHERE enter_ns > NULL"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM launches WHERE enter_ns < 1e300"), 40'000);
    EXPECT_EQ(
        number("SELECT count(*) FROM (SELECT count(*), kernel_id FROM launches WHERE enter_ns BETWEEN " +
               lowText + " AND " + highText + " GROUP BY kernel_id)"),
        number("SELECT count(DISTINCT kernel_id) FROM launches"));
}

TEST_F(EventTables, TimeRangeReadsOnlyTheChunksInside) {
    TrainingLoop loop;
    const auto events = loop.launches(40'000);
    store(events);
    // With the other chunks unreadable, a query that stays in the last one must still work.
    ASSERT_TRUE(m_connection.exec("UPDATE event_chunks SET data = x'00' WHERE chunk_id < 3").isOk());
    EXPECT_EQ(
        number("SELECT count(*) FROM launches WHERE enter_ns >= " + std::to_string(events[35'000].enterNs)),
        5'000);
    const auto whole = m_connection.queryInt("SELECT count(*) FROM launches");
    ASSERT_FALSE(whole.isOk());
    EXPECT_EQ(whole.status().kind(), ErrorKind::Unreadable);
    EXPECT_NE(whole.status().message().find("event chunk is damaged"), std::string::npos)
        << whole.status().message();
}

TEST_F(EventTables, CountThatLiesIsDamage) {
    store(TrainingLoop().launches(100));
    ASSERT_TRUE(m_connection.exec("UPDATE event_chunks SET event_count = 99").isOk());
    EXPECT_FALSE(m_connection.queryInt("SELECT count(*) FROM launches").isOk());
}

TEST_F(EventTables, CopiesReadAsTextAndNull) {
    EventWriter<CopyEvent> writer(m_encoder, *m_rows);
    CopyEvent copy;
    copy.enterNs = 5;
    copy.exitNs = 9;
    copy.api = writer.internApi("cuMemcpyHtoDAsync_v2");
    copy.dstBufferId = 12;
    copy.dstAddress = 0xFFFF'0000'0000'0000;
    copy.direction = CopyDirection::HostToDevice;
    copy.isAsync = true;
    ASSERT_TRUE(writer.add(copy).isOk());
    EXPECT_EQ(writer.internApi("cuMemcpyHtoDAsync_v2"), copy.api);
    copy.api = writer.internApi("cuMemcpy");
    copy.enterNs = 7;
    copy.direction = static_cast<CopyDirection>(77);
    ASSERT_TRUE(writer.add(copy).isOk());
    ASSERT_TRUE(writer.flush().isOk());
    EXPECT_EQ(text("SELECT api || ' ' || direction FROM copies WHERE enter_ns = 5"),
              "cuMemcpyHtoDAsync_v2 host-to-device");
    EXPECT_EQ(text("SELECT api FROM copies WHERE enter_ns = 7"), "cuMemcpy");
    EXPECT_EQ(text("SELECT direction FROM copies WHERE enter_ns = 7"), "NULL");
    EXPECT_EQ(number("SELECT src_buffer_id IS NULL AND stream_id IS NULL AND is_async FROM copies"), 1);
    EXPECT_EQ(number("SELECT dst_address FROM copies"), -281474976710656);
}

TEST_F(EventTables, SetsAndSyncsHaveTheirTables) {
    SetEvent set;
    set.value = 0xAB;
    store(std::vector<SetEvent>{set});
    SyncEvent sync;
    sync.kind = SyncKind::HostFunction;
    store(std::vector<SyncEvent>{sync, {}});
    EXPECT_EQ(number("SELECT value FROM sets"), 0xAB);
    EXPECT_EQ(text("SELECT group_concat(kind) FROM syncs"), "host-function,stream-sync");
    EXPECT_EQ(number("SELECT count(*) FROM launches"), 0);
}

TEST_F(EventTables, GrowingChunkReplacesItsRowAndSurvivesARollback) {
    EventWriter<LaunchEvent> writer(m_encoder, *m_rows);
    ASSERT_TRUE(writer.add({}).isOk());
    {
        StatusOr<Transaction> transaction = Transaction::begin(m_connection);
        ASSERT_TRUE(writer.flush().isOk());
    }
    writer.transactionWasRolledBack();
    EXPECT_EQ(number("SELECT count(*) FROM launches"), 0);
    store(std::vector<SetEvent>(1));
    ASSERT_TRUE(writer.add({}).isOk());
    ASSERT_TRUE(writer.flush().isOk());
    ASSERT_TRUE(writer.flush().isOk());
    EXPECT_EQ(number("SELECT count(*) FROM launches"), 2);
    EXPECT_EQ(number("SELECT count(*) FROM sets"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM event_chunks"), 2);
}

TEST_F(EventTables, TablesAreReadOnly) {
    EXPECT_FALSE(m_connection.exec("INSERT INTO launches(enter_ns) VALUES(1)").isOk());
    EXPECT_FALSE(m_connection.exec("DELETE FROM launch_arguments").isOk());
}

}  // namespace
}  // namespace vramscope::formats
