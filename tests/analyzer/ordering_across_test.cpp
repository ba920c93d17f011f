// SPDX-License-Identifier: Apache-2.0
// Two processes at one memory: what orders their work, what proves that nothing does, and uses of memory that
// its exporter has freed.
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"
#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

using formats::CopyDirection;
using formats::SyncKind;

/// Process 1 has the memory, process 2 an import of it.
class OrderingAcrossTest : public testing::Test {
protected:
    OrderingAcrossTest() {
        builder.process(2);
        mine = program.stream();
        other = program.stream();
        theirs = program.stream(false, 2);
        event = program.event(true);
        buffer = program.allocate();
        importer();
        import = program.open(buffer);
        own = program.allocate();
        opened = program.openEvent(event);
        exporter();
    }
    void exporter() { become(1); }
    void importer() { become(2); }

    /// Copies the import to memory of the importer's own.
    void take() {
        formats::CopyEvent copy;
        copy.streamId = theirs;
        copy.direction = CopyDirection::DeviceToDevice;
        copy.isAsync = true;
        copy.srcBufferId = import;
        copy.srcAddress = program.addressOf(import);
        copy.dstBufferId = own;
        copy.dstAddress = program.addressOf(copy.dstBufferId);
        copy.bytes = 4096;
        program.copy(copy, "cuMemcpyDtoDAsync_v2");
    }

    /// "ordering.cross-stream proven" and the like, a line each.
    std::string findings() {
        std::string text;
        for (const detectors::Finding& finding : detectors::detectAll(*program.load())) {
            if (finding.rule.starts_with("ordering.") || finding.rule == "corruption.use-after-free")
                text += finding.rule + " " + std::string(name(finding.confidence)) + "\n";
        }
        return text;
    }

    CaptureBuilder builder;
    StreamProgram program{builder};
    std::int64_t mine = 0;
    std::int64_t other = 0;
    std::int64_t theirs = 0;
    std::int64_t event = 0;
    std::int64_t opened = 0;
    std::int64_t buffer = 0;
    std::int64_t import = 0;
    std::int64_t own = 0;  ///< the importer's

private:
    void become(std::int64_t process) {
        program.inProcess(process);
        program.onThread(process);
    }
};

TEST_F(OrderingAcrossTest, AnEventOfTheOtherProcessOrders) {
    program.set(mine, buffer);
    program.record(event, mine);
    importer();
    program.wait(opened, theirs);
    take();
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, AHostThatWaitedOrders) {
    program.set(mine, buffer);
    program.sync(SyncKind::StreamSync, mine);
    importer();
    take();
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, AnImportersHostThatWaitsForTheEventOrders) {
    program.set(mine, buffer);
    program.record(event, mine);
    importer();
    program.sync(SyncKind::EventSync, 0, opened);
    take();
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, WhatNobodyCanHaveHeardOfIsARace) {
    program.set(mine, buffer);
    program.record(event, mine);
    importer();
    take();
    EXPECT_EQ(findings(), "ordering.cross-stream proven\n");
}

TEST_F(OrderingAcrossTest, ARaceNamesBothProcesses) {
    program.set(mine, buffer);
    importer();
    take();
    const auto found = findingsOf(detectors::detectAll(*program.load()), "ordering.cross-stream");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].processes.size(), 2U);
    EXPECT_EQ(found[0].buffers, std::vector{model::BufferId{buffer}}) << "the exporter's";
    EXPECT_NE(found[0].sentence.find("cuMemcpyDtoDAsync_v2 on stream 3 in pid 2"), std::string::npos)
        << found[0].sentence;
    EXPECT_NE(found[0].sentence.find("cuMemsetD8Async on stream 1 in pid 4711"), std::string::npos)
        << found[0].sentence;
}

TEST_F(OrderingAcrossTest, AnEventRecordedBeforeTheWorkDoesNotOrder) {
    program.record(event, mine);
    program.set(mine, buffer);
    importer();
    program.wait(opened, theirs);
    take();
    EXPECT_EQ(findings(), "ordering.cross-stream proven\n");
}

TEST_F(OrderingAcrossTest, TheOverwriteOfWhatIsStillReadIsARace) {
    importer();
    take();
    exporter();
    program.set(mine, buffer);
    EXPECT_EQ(findings(), "ordering.copy-source proven\n");
}

TEST_F(OrderingAcrossTest, AKernelBehindTheWorkMayHaveToldTheOther) {
    program.set(mine, buffer);
    program.launch(mine, {});
    importer();
    take();
    EXPECT_EQ(findings(), "ordering.cross-stream possible\n");
}

TEST_F(OrderingAcrossTest, SoMayAKernelOnAStreamThatWaited) {
    const std::int64_t local = program.event();
    program.set(mine, buffer);
    program.record(local, mine);
    program.wait(local, other);
    program.launch(other, {});
    importer();
    take();
    EXPECT_EQ(findings(), "ordering.cross-stream possible\n");
}

TEST_F(OrderingAcrossTest, AHostThatLooksAtTheBytesMayBeWaitingForThem) {
    program.set(mine, buffer);
    importer();
    program.read(theirs, import);
    EXPECT_EQ(findings(), "ordering.cross-stream possible\n");
}

TEST_F(OrderingAcrossTest, KernelsOfTwoProcessesWaitForEachOther) {
    program.launch(mine, {buffer});
    importer();
    program.set(theirs, import);
    program.launch(theirs, {import});
    exporter();
    program.set(mine, buffer, 0, 64);
    EXPECT_EQ(findings().find("proven"), std::string::npos);
}

TEST_F(OrderingAcrossTest, AnEventThatSomebodyWithoutARecordMayHaveOrdersAnything) {
    const std::int64_t unknown = program.event(true, 2);
    program.set(mine, buffer);
    importer();
    program.wait(unknown, theirs);
    take();
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, AnImportOfGuessedOriginIsMemoryOfItsOwn) {
    program.set(mine, buffer);
    importer();
    take();
    builder.exec(
        "CREATE TRIGGER guess AFTER INSERT ON ipc_imports BEGIN UPDATE ipc_imports SET matched_by = "
        "'size-and-order'; END");
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, TwoStreamsOfTheImporterRaceAsEver) {
    const std::int64_t second = program.stream(false, 2);
    importer();
    program.set(theirs, import);
    program.launch(theirs, {});
    program.set(second, import);
    EXPECT_EQ(findings(), "ordering.cross-stream proven\n");
}

TEST_F(OrderingAcrossTest, UseAfterTheExportersFree) {
    program.free(buffer);
    importer();
    take();
    EXPECT_EQ(findings(), "corruption.use-after-free proven\n");
}

TEST_F(OrderingAcrossTest, AKernelsUseAfterTheExportersFreeIsPossible) {
    program.free(buffer);
    importer();
    program.launch(theirs, {import});
    EXPECT_EQ(findings(), "corruption.use-after-free possible\n");
}

TEST_F(OrderingAcrossTest, UseWhileTheExporterIsStillFreeingIsNotAfter) {
    program.free(buffer);
    importer();
    program.overlapNext();
    take();
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, AnExporterThatEndedFreedNothing) {
    program.endWithProcess(buffer);
    importer();
    take();
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingAcrossTest, AnImportThatIsClosedTakesNothingFromTheOthers) {
    program.set(mine, buffer);
    importer();
    program.free(import);
    exporter();
    program.set(other, buffer);
    EXPECT_EQ(findings(), "ordering.cross-stream proven\n");
}

}  // namespace
}  // namespace vramscope::tests
