// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/capture_loader.h"

#include <gtest/gtest.h>

#include "formats/schema.h"
#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

Status loadWith(const std::string& sql) {
    auto database = formats::Connection::openInMemory();
    if (!database.isOk()) return database.status();
    VRAMSCOPE_RETURN_IF_ERROR(formats::createSchema(*database));
    VRAMSCOPE_RETURN_IF_ERROR(database->exec(sql));
    return loadCapture(*database, "stranger.vramscope").status();
}

constexpr const char* kBufferWithSize =
    "INSERT INTO buffers (process_id, kind, address, generation, size_bytes, flags, api, alloc_enter_ns, "
    "alloc_ns)"
    " VALUES (1, 'device', 4096, 1, ";

TEST(CaptureLoader, ReadsAnEmptyCapture) {
    EXPECT_TRUE(loadWith("SELECT 1").isOk());
}

TEST(CaptureLoader, RefusesSizesThatNoMemoryHas) {
    for (const char* size : {"-1", "9223372036854775807", "281474976710656"}) {
        const Status status = loadWith(std::string(kBufferWithSize) + size + ", 0, 'x', 0, 0)");
        EXPECT_EQ(status.kind(), ErrorKind::Unreadable) << size;
        EXPECT_NE(status.message().find("buffers"), std::string::npos) << status.message();
    }
}

TEST(CaptureLoader, BendsHostileTimesAndIdsIntoShape) {
    tests::CaptureBuilder builder;
    builder.allocate({.allocNs = 5});
    builder.exec(
        "UPDATE buffers SET alloc_ns = -9, alloc_stack_id = -77, kind = 'nonsense', process_id = 99");
    const auto capture = builder.load();
    const Buffer& b = *capture->buffers.begin();
    EXPECT_EQ(b.allocNs, 0);
    EXPECT_TRUE(b.allocStackId.isNone());
    EXPECT_EQ(b.kind, BufferKind::Unknown);
}

TEST(CaptureLoader, CutsLongTexts) {
    tests::CaptureBuilder builder;
    builder.fact("command", std::string(100'000, 'x'));
    EXPECT_EQ(builder.load()->fact("command").size(), StringPool::kLongestText);
}

TEST(CaptureLoader, KnowsWhatWasUsedWhenAndByWhat) {
    tests::CaptureBuilder builder;
    const std::int64_t used = builder.allocate({.allocNs = 5});
    const std::int64_t unused = builder.allocate({.allocNs = 5});
    builder.launch(100, {used});
    builder.launch(300, {used});
    builder.sync(400);
    const auto capture = builder.load();
    EXPECT_EQ(capture->lastUseNs.at(used), 300);
    EXPECT_FALSE(capture->lastUseNs.contains(unused));
    EXPECT_EQ(capture->activity.at({1}).allNs, (std::vector<std::int64_t>{100, 300, 400}));
}

}  // namespace
}  // namespace vramscope::model
