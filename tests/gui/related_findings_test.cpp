// SPDX-License-Identifier: Apache-2.0
#include "gui/models/related_findings.h"

#include <gtest/gtest.h>

#include "gui/models/finding_list_model.h"
#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

/// Memory that two tasks have mapped; `right` writes it through its own mapping.
class RelatedFindingsTest : public testing::Test {
protected:
    RelatedFindingsTest() {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
        m_left = m_builder.task("left");
        m_right = m_builder.task("right");
        m_builder.taskSpan(m_left, 1, 0, 9'000'000'000);
        m_builder.taskSpan(m_right, 2, 0, 9'000'000'000);
    }
    void share(std::int64_t atNs) {
        const auto handle = m_builder.vmmHandle(1 << 20, atNs - 1000, {}, 1, 2, {});
        for (const std::int64_t task : {m_left, m_right}) {
            m_shared.push_back(
                m_builder.allocate({.kind = "vmm", .bytes = 1 << 20, .allocNs = atNs, .handle = handle}));
            m_builder.owner(m_shared.back(), task);
            atNs += 10'000'000;
        }
    }
    const Analysis& analysis() {
        if (!m_capture) m_capture = std::make_unique<tests::GuiCapture>(m_builder, true);
        return *m_capture->sources().analysis;
    }
    const detectors::Finding* found(const std::string& rule) {
        const auto at = std::ranges::find(analysis().findings, rule, &detectors::Finding::rule);
        return at == analysis().findings.end() ? nullptr : &*at;
    }

    tests::CaptureBuilder m_builder;
    std::unique_ptr<tests::GuiCapture> m_capture;
    std::int64_t m_left = 0;
    std::int64_t m_right = 0;
    std::vector<std::int64_t> m_shared;
};

TEST_F(RelatedFindingsTest, AnOverwriteAndTheSharingThatMadeItPossible) {
    share(20'000'000);
    m_builder.set(50'000'000, m_shared[0], 0, 4096, 1);
    m_builder.set(80'000'000, m_shared[1], 0, 4096, 2);
    const detectors::Finding* overwrite = found("corruption.overwrite");
    const detectors::Finding* alias = found("sharing.alias");
    ASSERT_TRUE(overwrite);
    ASSERT_TRUE(alias);
    EXPECT_EQ(relatedTo(*overwrite, analysis()), std::vector{alias});
    EXPECT_EQ(relatedTo(*alias, analysis()), std::vector{overwrite});
    EXPECT_EQ(mainOf(*alias, analysis()), overwrite);
    EXPECT_EQ(mainOf(*overwrite, analysis()), nullptr);
    EXPECT_NE(relationText(*alias), relationText(*overwrite));

    Sidecar sidecar;
    FindingListModel model(sidecar);
    model.setAnalysis(m_capture->sources().analysis);
    const int above = model.rowOf(QString::fromStdString(overwrite->fingerprint));
    EXPECT_EQ(model.rowOf(QString::fromStdString(alias->fingerprint)), above + 1);
    EXPECT_TRUE(model.index(above + 1).data(FindingListModel::IsBelowRole).toBool());
    EXPECT_FALSE(model.index(above).data(FindingListModel::IsBelowRole).toBool());
}

TEST_F(RelatedFindingsTest, NotWhereTheOverwriteIsOfOtherMemory) {
    share(20'000'000);
    const auto other = m_builder.allocate({.bytes = 1 << 20, .allocNs = 20'000'000});
    m_builder.owner(other, m_left);
    m_builder.set(50'000'000, other, 0, 4096, 1);
    m_builder.set(80'000'000, other, 0, 4096, 2);
    const detectors::Finding* overwrite = found("corruption.overwrite");
    const detectors::Finding* alias = found("sharing.alias");
    ASSERT_TRUE(overwrite);
    ASSERT_TRUE(alias);
    EXPECT_TRUE(relatedTo(*overwrite, analysis()).empty());
    EXPECT_EQ(mainOf(*alias, analysis()), nullptr);
}

TEST_F(RelatedFindingsTest, NotWhereAThirdTaskWrote) {
    share(20'000'000);
    m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (3, 1, 4713, 0)");
    const auto third = m_builder.task("third");
    m_builder.taskSpan(third, 3, 0, 9'000'000'000);
    m_builder.set(50'000'000, m_shared[0], 0, 4096, 1);
    m_builder.set(80'000'000, m_shared[0], 0, 4096, 3);
    const detectors::Finding* overwrite = found("corruption.overwrite");
    ASSERT_TRUE(overwrite);
    EXPECT_TRUE(relatedTo(*overwrite, analysis()).empty());
}

}  // namespace
}  // namespace vramscope::gui
