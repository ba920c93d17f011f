// SPDX-License-Identifier: Apache-2.0
// Argument sets from the writer through launch_arguments: what repeats is stored once, memory stays bounded,
// and old launches can be dropped with their sets.
#include <gtest/gtest.h>

#include "formats/event_tables.h"
#include "formats/launch_writer.h"
#include "formats/schema.h"
#include "tests/formats/format1_arguments.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

using Set = std::vector<LaunchArgument>;

/// A set that no other number gives.
Set setOf(std::int64_t number) {
    return {{16, 1 + number % 90, static_cast<std::uint64_t>(512 * number)}, {24, 7, 512}};
}

class ArgumentTables : public testing::Test {
protected:
    ArgumentTables() : m_connection(std::move(Connection::openInMemory().value())) {
        EXPECT_TRUE(createSchema(m_connection).isOk());
        EXPECT_TRUE(registerEventTables(m_connection).isOk());
        reopen();
    }

    void reopen() { m_writer.emplace(std::move(ArgumentWriter::make(m_connection).value())); }

    std::int64_t intern(const Set& set) {
        const StatusOr<std::int64_t> id = m_writer->intern(set);
        EXPECT_TRUE(id.isOk()) << id.status().message();
        return id.isOk() ? *id : -1;
    }
    std::int64_t number(const std::string& sql) {
        const auto result = m_connection.queryInt(sql);
        EXPECT_TRUE(result.isOk()) << result.status().message();
        return result.isOk() ? result->value_or(-1) : -2;
    }
    void exec(const std::string& sql) {
        const Status status = m_connection.exec(sql);
        EXPECT_TRUE(status.isOk()) << status.message();
    }
    Set stored(std::int64_t id) {
        Set set;
        StatusOr<Statement> rows = m_connection.prepare(
            "SELECT parameter_offset, buffer_id, \"offset\" FROM launch_arguments WHERE argument_set_id = "
            "?1");
        rows->bind(1, id);
        while (*rows->step())
            set.push_back(
                {static_cast<std::uint32_t>(rows->columnInt(0)), rows->columnInt(1), rows->columnAddress(2)});
        return set;
    }

    Connection m_connection;
    std::optional<ArgumentWriter> m_writer;
};

TEST_F(ArgumentTables, SetsComeBackByNumberAndAllTogether) {
    EXPECT_EQ(intern({}), 0);
    for (std::int64_t i = 1; i <= 10'000; ++i)
        ASSERT_EQ(intern(setOf(i)), i);
    for (std::int64_t i = 1; i <= 10'000; ++i)
        ASSERT_EQ(intern(setOf(i)), i);
    ASSERT_TRUE(m_writer->flush().isOk());
    EXPECT_EQ(number("SELECT count(*) FROM argument_chunks"), 3);
    EXPECT_EQ(number("SELECT count(*) FROM launch_arguments"), 20'000);
    for (const std::int64_t id : {1, 2, 4096, 4097, 9999, 10'000})
        EXPECT_EQ(stored(id), setOf(id)) << id;
    EXPECT_EQ(
        number("SELECT sum(argument_set_id) FROM launch_arguments WHERE buffer_id = 7 AND \"offset\" = 512"),
        10'000 * 10'001 / 2);
    for (const char* none : {"0", "-1", "10001", "NULL", "'text'", "2.5"})
        EXPECT_EQ(
            number(std::string("SELECT count(*) FROM launch_arguments WHERE argument_set_id = ") + none), 0)
            << none;
    EXPECT_EQ(number("SELECT count(*) FROM launch_arguments WHERE argument_set_id = 2.0"), 2);
}

TEST_F(ArgumentTables, LaunchesJoinTheirArguments) {
    ChunkEncoder encoder;
    ChunkRowWriter rows = std::move(ChunkRowWriter::make(m_connection).value());
    LaunchWriter launches(std::move(*m_writer), encoder, rows);
    LaunchEvent event;
    for (const Set& set :
         {Set{}, Set{{16, 7, 512}, {24, 8, 3}}, Set{{0, 0, 0x1234}}, Set{{16, 7, 512}, {24, 8, 3}}}) {
        ++event.enterNs;
        ASSERT_TRUE(launches.add(event, set).isOk());
    }
    ASSERT_TRUE(launches.flush().isOk());
    EXPECT_EQ(number("SELECT count(*) FROM launch_arguments"), 3);
    EXPECT_EQ(number("SELECT sum(offset) FROM launch_arguments WHERE buffer_id IS NULL"), 0x1234);
    EXPECT_EQ(number("SELECT count(*) FROM launches JOIN launch_arguments USING (argument_set_id)"), 5);
    exec("UPDATE argument_chunks SET data = x'0105'");
    EXPECT_FALSE(m_connection.queryInt("SELECT count(*) FROM launch_arguments").isOk());
    EXPECT_FALSE(m_connection.queryInt("SELECT 1 FROM launch_arguments WHERE argument_set_id = 1").isOk());
}

TEST_F(ArgumentTables, LaunchesKeepTheirOrderAndTheirSetsWhereverAFlushFalls) {
    ChunkEncoder encoder;
    ChunkRowWriter rows = std::move(ChunkRowWriter::make(m_connection).value());
    LaunchWriter launches(std::move(*m_writer), encoder, rows);
    LaunchEvent event;
    std::int64_t count = 0;
    for (const int burst : {1, 3, 8, 9, 50, 0, 7}) {
        for (int i = 0; i < burst; ++i) {
            event.enterNs = ++count;
            ASSERT_TRUE(launches.add(event, setOf(count)).isOk());
        }
        ASSERT_TRUE(launches.flush().isOk());
        ASSERT_EQ(number("SELECT count(*) FROM launches"), count);
    }
    EXPECT_EQ(
        number("SELECT count(*) FROM launches JOIN launch_arguments USING (argument_set_id) "
               "WHERE \"offset\" = 512 * enter_ns AND parameter_offset = 16 AND argument_set_id = enter_ns"),
        count);
}

TEST_F(ArgumentTables, CountThatLiesIsDamage) {
    intern(setOf(1));
    ASSERT_TRUE(m_writer->flush().isOk());
    exec("UPDATE argument_chunks SET set_count = 2");
    EXPECT_FALSE(m_connection.queryInt("SELECT count(*) FROM launch_arguments").isOk());
}

TEST_F(ArgumentTables, GrowingChunkReplacesItsRowAndTheNextRecorderGoesOn) {
    for (std::int64_t i = 1; i <= 5000; ++i) {
        ASSERT_EQ(intern(setOf(i)), i);
        if (i % 700 == 0) {
            ASSERT_TRUE(m_writer->flush().isOk());
        }
    }
    ASSERT_TRUE(m_writer->flush().isOk());
    EXPECT_EQ(number("SELECT count(*) FROM argument_chunks"), 2);
    reopen();
    EXPECT_EQ(intern(setOf(1)), 5001) << "a new writer remembers nothing and reuses no number";
    ASSERT_TRUE(m_writer->flush().isOk());
    EXPECT_EQ(stored(4000), setOf(4000));
    EXPECT_EQ(stored(5001), setOf(1));
}

TEST_F(ArgumentTables, SetsOfFormat1AreReadBesideThoseOfToday) {
    exec(kFormat1ArgumentSets);
    StatusOr<Statement> insert = m_connection.prepare("INSERT INTO argument_sets VALUES(?1, ?2)");
    for (const std::int64_t id : {3, 40})
        ASSERT_TRUE(insert->runWith(id, std::span<const std::byte>(packAsFormat1(setOf(id)))).isOk());
    ASSERT_TRUE(insert->runWith(41, std::span<const std::byte>(packAsFormat1({}))).isOk());
    reopen();
    EXPECT_EQ(intern(setOf(42)), 42);
    ASSERT_TRUE(m_writer->flush().isOk());
    EXPECT_EQ(number("SELECT count(*) FROM launch_arguments"), 6);
    for (const std::int64_t id : {3, 40, 42})
        EXPECT_EQ(stored(id), setOf(id));
    EXPECT_TRUE(stored(41).empty());
    // As a capture of format 1 is, that nobody recovered.
    m_writer.reset();
    exec("DROP TABLE argument_chunks");
    EXPECT_EQ(number("SELECT count(*) FROM launch_arguments"), 4);
    EXPECT_EQ(stored(40), setOf(40));
    exec("UPDATE argument_sets SET arguments = x'05' WHERE argument_set_id = 3");
    EXPECT_FALSE(m_connection.queryInt("SELECT count(*) FROM launch_arguments").isOk());
}

TEST_F(ArgumentTables, WhatRepeatsIsFoundAmongSetsThatNeverDo) {
    // A step of 1000 sets comes back while four times as many new ones go by.
    std::int64_t fresh = 1'000'000;
    std::vector<std::int64_t> ids;
    for (int step = 0; step < 20; ++step) {
        for (int i = 0; i < 1000; ++i) {
            const std::int64_t id = intern(setOf(i));
            if (step == 0) ids.push_back(id);
            ASSERT_EQ(id, ids[static_cast<std::size_t>(i)]);
            for (int k = 0; k < 4; ++k)
                intern(setOf(fresh++));
        }
    }
    ASSERT_TRUE(m_writer->flush().isOk());
    EXPECT_EQ(number("SELECT sum(set_count) FROM argument_chunks"), 1000 + 80'000);
}

TEST_F(ArgumentTables, NoSetIsUsedOutsideTheWindow) {
    EXPECT_EQ(intern(setOf(0)), 1);
    for (std::int64_t i = 1; i < kArgumentWindow; ++i) {
        // Used all the time, so it is never forgotten for want of room.
        const std::int64_t again = intern(setOf(0));
        if (again != 1) FAIL() << i;
        intern(setOf(i));
    }
    EXPECT_EQ(intern(setOf(kArgumentWindow)), kArgumentWindow + 1);
    EXPECT_EQ(intern(setOf(0)), kArgumentWindow + 2);
}

/// What bounded recording does with everything older than `cutoffNs`; docs/decisions/0002-event-chunks.md.
std::vector<std::string> dropStatements(std::int64_t cutoffNs) {
    const std::string isOld = " WHERE last_ns < " + std::to_string(cutoffNs) +
                              " AND chunk_id NOT IN (SELECT max(chunk_id) FROM event_chunks GROUP BY kind)";
    return {
        "INSERT INTO dropped_chunks SELECT kind, first_ns, last_ns, event_count FROM event_chunks" + isOld,
        "DELETE FROM event_chunks" + isOld,
        "DELETE FROM argument_chunks WHERE first_set_id + set_count <= "
        "(SELECT max(argument_set_id) - max(event_count) FROM "
        "(SELECT * FROM event_chunks WHERE kind = 'launches' ORDER BY chunk_id LIMIT 1) AS oldest "
        "JOIN launches ON enter_ns BETWEEN first_ns AND last_ns AND launches.rowid >> 16 = chunk_id) - " +
            std::to_string(kArgumentWindow)};
}

TEST_F(ArgumentTables, OldestChunksCanBeDropped) {
    ChunkEncoder encoder;
    ChunkRowWriter rows = std::move(ChunkRowWriter::make(m_connection).value());
    LaunchWriter launches(std::move(*m_writer), encoder, rows);
    EventWriter<CopyEvent> copies(encoder, rows);
    EventWriter<SetEvent> sets(encoder, rows);
    EventWriter<SyncEvent> syncs(encoder, rows);
    const auto add = [](auto& writer, auto event, std::int64_t timeNs) {
        event.enterNs = event.exitNs = timeNs;
        ASSERT_TRUE(writer.add(event).isOk());
    };
    exec(
        "INSERT INTO buffers(buffer_id, process_id, kind, address, generation, size_bytes, flags, api, "
        "alloc_enter_ns, alloc_ns) VALUES(7, 1, 'device', 4096, 1, 512, 0, 'cuMemAlloc_v2', 0, 1)");
    constexpr std::int64_t kLaunches = 400'000;
    for (std::int64_t i = 0; i < kLaunches; ++i) {
        LaunchEvent launch;
        launch.enterNs = launch.exitNs = 1000 + i;
        ASSERT_TRUE(launches.add(launch, setOf(i % 3 == 0 ? i % 100 : i)).isOk());  // a third repeat
        if (i % 8 == 0) {
            add(copies, CopyEvent{}, 1000 + i);
            add(sets, SetEvent{}, 1000 + i);
            add(syncs, SyncEvent{}, 1000 + i);
        }
    }
    ASSERT_TRUE(launches.flush().isOk() && copies.flush().isOk() && sets.flush().isOk() &&
                syncs.flush().isOk());
    const std::int64_t chunksBefore = number("SELECT count(*) FROM argument_chunks");
    const std::int64_t cutoffNs = 1000 + kLaunches - 20'000;
    for (const std::string& sql : dropStatements(cutoffNs))
        exec(sql);

    EXPECT_LT(number("SELECT count(*) FROM argument_chunks"), chunksBefore);
    for (const char* kind : {"launches", "copies", "sets", "syncs"}) {
        SCOPED_TRACE(kind);
        const std::string table = kind;
        EXPECT_GT(number("SELECT count(*) FROM dropped_chunks WHERE kind = '" + table + "'"), 0);
        EXPECT_EQ(number("SELECT count(*) FROM " + table + " WHERE enter_ns >= " + std::to_string(cutoffNs)),
                  table == "launches" ? 20'000 : 2500);
        EXPECT_EQ(number("SELECT count(*) FROM " + table) +
                      number("SELECT sum(event_count) FROM dropped_chunks WHERE kind = '" + table + "'"),
                  table == "launches" ? kLaunches : kLaunches / 8);
    }
    // No launch that is left lacks its set, and each set is the right one.
    EXPECT_EQ(number("SELECT count(*) FROM launches JOIN launch_arguments USING (argument_set_id)"),
              2 * number("SELECT count(*) FROM launches"));
    const std::int64_t lastId = number("SELECT argument_set_id FROM launches ORDER BY enter_ns DESC LIMIT 1");
    EXPECT_EQ(stored(lastId), setOf((kLaunches - 1) % 3 == 0 ? (kLaunches - 1) % 100 : kLaunches - 1));
    EXPECT_EQ(number("SELECT size_bytes FROM buffers"), 512);

    // The recording goes on, with sets from before and new ones; what grows was spared.
    for (const std::string& sql : dropStatements(1'000'000'000))
        exec(sql);
    EXPECT_EQ(number("SELECT count(*) FROM event_chunks"), 4);
    for (std::int64_t i = kLaunches; i < kLaunches + 30'000; ++i) {
        LaunchEvent launch;
        launch.enterNs = launch.exitNs = 1000 + i;
        ASSERT_TRUE(launches.add(launch, setOf(i % 2 == 0 ? i % 100 : i)).isOk());
    }
    ASSERT_TRUE(launches.flush().isOk());
    EXPECT_EQ(number("SELECT count(*) FROM launches JOIN launch_arguments USING (argument_set_id)"),
              2 * number("SELECT count(*) FROM launches"));
}

TEST_F(ArgumentTables, DroppingAllLaunchesLeavesTheirSets) {
    intern(setOf(1));
    ASSERT_TRUE(m_writer->flush().isOk());
    for (const std::string& sql : dropStatements(1'000'000))
        exec(sql);
    EXPECT_EQ(stored(1), setOf(1)) << "a launch to come may use it";
}

}  // namespace
}  // namespace vramscope::formats
