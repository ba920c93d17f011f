// SPDX-License-Identifier: Apache-2.0
#include "gui/models/facets.h"

#include <QAbstractItemModelTester>
#include <algorithm>
#include <gtest/gtest.h>

#include "gui/models/facet_model.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

class FacetsTest : public testing::Test {
protected:
    static tests::CaptureBuilder built() {
        tests::CaptureBuilder builder;
        tests::fillLeaking(builder);
        for (int i = 0; i < 4; ++i)
            builder.allocate({.kind = "async", .bytes = 512, .allocNs = 100 + i, .freeNs = 200});
        return builder;
    }
    const Facet* facet(const std::vector<Facet>& facets, const char* title) const {
        const auto at = std::find_if(facets.begin(), facets.end(), [&](const Facet& facet) {
            return facet.title == QString::fromLatin1(title);
        });
        return at == facets.end() ? nullptr : &*at;
    }
    std::vector<Facet> facetsWith(const QString& filter) const {
        const Cancel cancel;
        return facetsOf(m_capture.sources(), BufferFilter(m_capture.sources(), parseFilter(filter), {}),
                        cancel);
    }
    tests::CaptureBuilder m_builder = built();
    tests::GuiCapture m_capture{m_builder};
    QThreadPool m_pool;
};

TEST_F(FacetsTest, EachFacetCountsEveryBufferOnce) {
    for (const Facet& facet : facetsWith({})) {
        std::int64_t count = 0;
        for (const FacetValue& value : facet.values)
            count += value.count;
        EXPECT_EQ(count, 24) << facet.title.toStdString();
    }
}

TEST_F(FacetsTest, ItsWordsFindExactlyWhatItCounted) {
    for (const Facet& facet : facetsWith({})) {
        for (const FacetValue& value : facet.values) {
            if (value.words.isEmpty()) continue;
            const auto rows = m_capture.rowsOf(value.words);
            EXPECT_EQ(static_cast<std::int64_t>(rows.size()), value.count) << value.words.toStdString();
            std::int64_t bytes = 0;
            for (const Row row : rows)
                bytes += m_capture.store().sizeBytes[row];
            EXPECT_EQ(bytes, value.bytes) << value.words.toStdString();
        }
    }
}

TEST_F(FacetsTest, AFilterNarrowsThem) {
    const auto facets = facetsWith(QStringLiteral("kind:async"));
    const Facet* kinds = facet(facets, "Kind");
    ASSERT_NE(kinds, nullptr);
    ASSERT_EQ(kinds->values.size(), 1U);
    EXPECT_EQ(kinds->values.front().count, 4);
    const Facet* ends = facet(facets, "End");
    ASSERT_NE(ends, nullptr);
    ASSERT_EQ(ends->values.size(), 1U);
    EXPECT_EQ(ends->values.front().words, QStringLiteral("is:freed"));
}

TEST_F(FacetsTest, TheModelTogglesWordsOfTheFilter) {
    FacetModel model(m_pool);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setSources(m_capture.sources());
    ASSERT_TRUE(tests::waitUntil([&] { return !model.isBusy(); }));
    ASSERT_GT(model.rowCount(), 3);
    const QModelIndex sizes = model.index(model.rowCount() - 1, 0);
    ASSERT_GT(model.rowCount(sizes), 1);
    const FacetValue* value = model.valueAt(model.index(0, 0, sizes));
    ASSERT_NE(value, nullptr);
    EXPECT_FALSE(model.isChosen(*value));
    const FacetValue chosen = *value;
    const QString filter = model.toggled(QStringLiteral("library:train"), chosen);
    EXPECT_EQ(filter, QStringLiteral("library:train ") + chosen.words);

    model.setSelection({}, parseFilter(filter));
    ASSERT_TRUE(tests::waitUntil([&] { return !model.isBusy(); }));
    EXPECT_TRUE(model.isChosen(chosen));
    EXPECT_EQ(model.toggled(filter, chosen), QStringLiteral("library:train"));
    model.setSources({});
    EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace vramscope::gui
