// SPDX-License-Identifier: Apache-2.0
// Which graph a captured call's node belongs to, with and without CUPTI's word about it.
#include "collector/recorder/graph_captures.h"

#include <gtest/gtest.h>

#include "collector/inject/handle_hash.h"

namespace vramscope::collector {
namespace {

using formats::GraphNodeKind;
using formats::Record;

constexpr std::int64_t kStream = 1;
constexpr std::int64_t kOtherStream = 2;
constexpr std::uint64_t kGraph = 0x1000;

class GraphCapturesTest : public testing::Test {
protected:
    /// A call of thread 1 in [enter, enter + 10].
    static ResolvedCall callAt(Record& record, std::uint64_t enter) {
        record.header.enterTicks = enter;
        record.header.exitTicks = enter + 10;
        return {record, 1, 1, 0, 0};
    }
    void announce(std::uint64_t ticks, std::uint64_t graph, std::uint64_t node,
                  GraphNodeKind kind = GraphNodeKind::Copy) {
        Record record{};
        record.header.enterTicks = record.header.exitTicks = ticks;
        record.header.detail = static_cast<std::uint8_t>(kind) | formats::kNodeAnnounced;
        record.graphNode = {graph, node, 0, 0};
        m_captures.announce({record, 1, 1, 0, 0});
    }
    void add(std::uint64_t enter, std::int64_t stream) {
        Record record{};
        NodeDraft draft;
        draft.kind = GraphNodeKind::Copy;
        draft.startTicks = enter + 10;
        m_captures.add(callAt(record, enter), stream, draft);
    }
    std::vector<NodeDraft> end(std::int64_t stream, std::uint64_t graph) {
        return m_captures.end(stream, graph, m_isWhole);
    }

    GraphCaptures m_captures;
    bool m_isWhole = false;
};

TEST_F(GraphCapturesTest, TheAnnouncedGraphDecides) {
    m_captures.begin(kStream, 0);
    m_captures.begin(kOtherStream, 0);
    announce(105, kGraph, 7);
    add(100, kOtherStream);  // as a stream that joined by an event may
    const auto nodes = end(kStream, kGraph);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].node, 7U);
    EXPECT_TRUE(m_isWhole);
    EXPECT_TRUE(end(kOtherStream, 0x2000).empty());
}

TEST_F(GraphCapturesTest, WithoutAWordTheStreamDecides) {
    m_captures.begin(kStream, 0);
    m_captures.begin(kOtherStream, 0);
    add(100, kStream);
    add(120, kOtherStream);
    add(140, kOtherStream);
    EXPECT_EQ(end(kStream, kGraph).size(), 1U);
    EXPECT_EQ(end(kOtherStream, 0x2000).size(), 2U);
    EXPECT_TRUE(m_isWhole);
}

TEST_F(GraphCapturesTest, TheOnlyCaptureGetsWhatAJoinedStreamDoes) {
    m_captures.begin(kStream, 0);
    add(100, 5);
    EXPECT_EQ(end(kStream, kGraph).size(), 1U);
    EXPECT_TRUE(m_isWhole);
}

TEST_F(GraphCapturesTest, WhereNothingTellsTheGraphIsNotWhole) {
    m_captures.begin(kStream, 0);
    m_captures.begin(kOtherStream, 0);
    add(100, 5);
    EXPECT_TRUE(end(kStream, kGraph).empty());
    EXPECT_FALSE(m_isWhole);
    end(kOtherStream, 0x2000);
    m_captures.begin(kStream, 0);
    end(kStream, kGraph);
    EXPECT_TRUE(m_isWhole) << "the next one is another matter";
}

TEST_F(GraphCapturesTest, ANodeWhoseCallHasNoRecordIsKeptAsWhatItIs) {
    m_captures.begin(kStream, 0);
    announce(105, kGraph, 7, GraphNodeKind::Host);
    announce(125, kGraph, 8);
    add(120, kStream);
    announce(135, kGraph, 9, GraphNodeKind::Kernel);
    const auto nodes = end(kStream, kGraph);
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes[0].kind, GraphNodeKind::Host);
    EXPECT_FALSE(nodes[0].isCut);
    EXPECT_EQ(nodes[1].node, 8U);
    EXPECT_TRUE(nodes[2].isCut) << "a kernel without its arguments";
}

TEST_F(GraphCapturesTest, AFailedCaptureLeavesNothingToTheNext) {
    m_captures.begin(kStream, 0);
    announce(105, kGraph, 7);
    add(100, kStream);
    end(kStream, 0);
    m_captures.begin(kStream, 0);
    announce(205, kGraph, 8);
    add(200, kStream);
    const auto nodes = end(kStream, kGraph);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].node, 8U);
}

TEST_F(GraphCapturesTest, NodesOfOtherCallsAreNotTakenForCapturedOnes) {
    m_captures.begin(kStream, 0);
    announce(105, 0x3000, 7);
    Record record{};
    m_captures.forgetAnnounced(callAt(record, 100));
    add(120, kStream);
    const auto nodes = end(kStream, kGraph);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].node, 0U);
}

TEST(HandleHash, EqualBytesAreEqualAndOneBitIsEnough) {
    unsigned char a[64]{};
    unsigned char b[64]{};
    EXPECT_EQ(handleHash(a, sizeof a), handleHash(b, sizeof b));
    EXPECT_NE(handleHash(a, sizeof a), 0U);
    for (unsigned char& byte : b) {
        byte = 1;
        EXPECT_NE(handleHash(a, sizeof a), handleHash(b, sizeof b));
        byte = 0;
    }
}

}  // namespace
}  // namespace vramscope::collector
