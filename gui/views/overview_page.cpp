// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview_page.h"

#include <QEvent>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "analyzer/model/units.h"
#include "gui/models/text.h"
#include "gui/models/text_table.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr std::size_t kMostFindings = 6;
constexpr std::size_t kMostShares = 6;
/// Width of a full bar in pixels.
constexpr int kBarPixels = 260;

QString row(const QString& left, const QString& middle, const QString& right) {
    return QStringLiteral("<tr><td align='right'>&nbsp;%1</td><td>%2</td><td>&nbsp;%3</td></tr>")
        .arg(left, middle, right);
}

/// A bar as a table cell with a background: rich text has no other rectangle.
QString bar(double fraction, const QColor& color) {
    const int pixels = std::max(1, static_cast<int>(fraction * kBarPixels));
    return QStringLiteral(
               "<table cellspacing='0' cellpadding='0'><tr><td width='%1' "
               "bgcolor='%2'>&nbsp;</td></tr></table>")
        .arg(pixels)
        .arg(color.name());
}

}  // namespace

OverviewPage::OverviewPage(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    m_text = new QTextBrowser(this);
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(16);
    m_text->setAccessibleName(tr("Overview"));
    m_page = new NoteOrContent(m_text, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_page);
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        if (url.scheme() == QLatin1String("go")) follow(url.path().toUInt());
    });
    for (const auto signal :
         {&Session::previewReady, &Session::factsReady, &Session::closed, &Session::opened})
        connect(&workspace.session(), signal, this, &OverviewPage::renew);
    connect(&workspace, &Workspace::sourcesChanged, this, &OverviewPage::renew);
    connect(&workspace.sidecar(), &Sidecar::changed, this, &OverviewPage::renew);
    renew();
}

void OverviewPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) renew();
    QWidget::changeEvent(event);
}

void OverviewPage::follow(std::size_t link) {
    // A copy: following changes what is shown, and with it the list.
    if (link >= m_links.size()) return;
    const auto action = m_links[link];
    action();
}

QString OverviewPage::link(const QString& label, std::function<void()> action) {
    m_links.push_back(std::move(action));
    return QStringLiteral("<a href='go:%1'>%2</a>").arg(m_links.size() - 1).arg(label.toHtmlEscaped());
}

void OverviewPage::renew() {
    m_links.clear();
    if (!m_workspace.session().preview()) {
        m_page->showNote(m_workspace.session().isOpen() ? tr("Opening ...") : tr("No capture is open."));
        return;
    }
    const int scroll = m_text->verticalScrollBar()->value();
    m_text->setHtml(headHtml() + findingsHtml() + peakHtml() + ledgerHtml() + sizesHtml());
    m_text->verticalScrollBar()->setValue(scroll);
    m_page->showContent();
}

QString OverviewPage::headHtml() {
    const Preview& preview = *m_workspace.session().preview();
    const Theme& theme = themeOf(*this);
    const auto facts = m_workspace.session().facts();
    const QString command = toText(preview.fact("command"));
    QString html =
        QStringLiteral("<h2>%1</h2>")
            .arg((command.isEmpty() ? QString::fromStdString(preview.path.filename().string()) : command)
                     .toHtmlEscaped());
    QStringList parts;
    parts << toEscaped(preview.deviceNames);
    if (!preview.fact("host").empty()) parts << tr("on %1").arg(toEscaped(preview.fact("host")));
    parts << durationText(m_workspace.session().endNs());
    if (facts) {
        const auto count = static_cast<std::int64_t>(facts->processes.size());
        parts << (count == 1 ? tr("1 process") : tr("%1 processes").arg(countText(count)));
    }
    if (const auto store = m_workspace.sources().store)
        parts << toText(model::countOf(store->bufferCount(), "buffer"));
    html += QStringLiteral("<p style='color:%1'>%2</p>")
                .arg(theme.quietText.name(), parts.join(QStringLiteral(" &nbsp;·&nbsp; ")));
    const auto analysis = m_workspace.sources().analysis;
    if (!analysis) {
        if (preview.fact("state") == "recording")
            html +=
                QStringLiteral("<p style='color:%1'><b>%2</b></p>")
                    .arg(theme.possible.name(),
                         tr("The recording was not finished: it may still run, or its recorder was killed."));
        return html;
    }
    if (m_workspace.session().isGrowing())
        return html + QStringLiteral("<p style='color:%1'>● %2</p>")
                          .arg(theme.calm.name(), tr("Being recorded: this is how far it has come."));
    if (analysis->completeness.isWhole())
        return html + QStringLiteral("<p style='color:%1'>✔ %2</p>")
                          .arg(theme.calm.name(), toEscaped(analysis->completeness.oneLine()));
    html += QStringLiteral("<p style='color:%1'><b>%2</b></p><ul>")
                .arg(theme.possible.name(), tr("Not everything was recorded:"));
    for (const std::string& gap : analysis->completeness.gaps)
        html += QStringLiteral("<li>%1</li>").arg(toEscaped(gap));
    return html + QStringLiteral("</ul>");
}

QString OverviewPage::findingsHtml() {
    const auto analysis = m_workspace.sources().analysis;
    QString html = QStringLiteral("<h3>%1</h3>").arg(tr("What to look at"));
    if (!analysis) {
        if (m_workspace.session().waitsForAnalysis())
            return html + QStringLiteral("<p>%1</p>").arg(link(tr("Look for problems"), [this] {
                m_workspace.session().analyseNow();
            }));
        if (m_workspace.session().isSalvaged())
            return html +
                   QStringLiteral("<p>%1</p>").arg(tr("Problems are not looked for in a damaged capture."));
        return html + QStringLiteral("<p>%1</p>").arg(tr("Looking for problems ..."));
    }
    const Theme& theme = themeOf(*this);
    QString rows;
    std::size_t count = 0;
    for (const detectors::Finding& finding : analysis->findings) {
        const QString fingerprint = toText(finding.fingerprint);
        if (!isProblem(finding.findingClass) || !m_workspace.sidecar().suppressionOf(fingerprint).isEmpty())
            continue;
        if (++count > kMostFindings) continue;
        const bool isProven = finding.confidence == detectors::Confidence::Proven;
        rows += QStringLiteral(
                    "<tr><td style='color:%1'>%2&nbsp;</td><td>%3 &nbsp;<b>%4</b><br><span "
                    "style='color:%5'>%6</span></td></tr>")
                    .arg((isProven ? theme.problem : theme.possible).name(),
                         isProven ? QStringLiteral("◆") : QStringLiteral("◇"),
                         link(toText(finding.rule),
                              [this, fingerprint] { m_workspace.showFinding(fingerprint); }),
                         toEscaped(finding.headline), theme.quietText.name(), toEscaped(finding.sentence));
    }
    if (count == 0) {
        return html + QStringLiteral("<p style='color:%1'>%2</p>")
                          .arg(theme.calm.name(),
                               tr("No problems found%1.").arg(toEscaped(analysis->completeness.caveat())));
    }
    html += QStringLiteral("<table cellspacing='0' cellpadding='4'>%1</table>").arg(rows);
    if (count > kMostFindings)
        html += QStringLiteral("<p>%1</p>").arg(tr("%1 more at the left.").arg(count - kMostFindings));
    return html;
}

QString OverviewPage::barHtml(const std::vector<model::Share>& shares, std::int64_t total,
                              const QString& key) {
    const Theme& theme = themeOf(*this);
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'>");
    for (std::size_t i = 0; i < std::min(shares.size(), kMostShares); ++i) {
        const model::Share& share = shares[i];
        const QString label = toText(share.label);
        // A process is called "train pid 4711".
        const QString value = key == QLatin1String("pid") ? label.section(QLatin1Char(' '), -1) : label;
        const QString word = key.isEmpty() ? QString() : QStringLiteral("%1:\"%2\"").arg(key, value);
        const auto stack = share.stack;
        const QString shown = key.isEmpty()
                                  ? link(label,
                                         [this, stack] {
                                             m_workspace.selection().change([&](Selection& s) {
                                                 s.stack = stack;
                                                 s.page = Page::Stacks;
                                             });
                                         })
                                  : link(label, [this, word] { m_workspace.showPage(Page::Buffers, word); });
        html += row(bytesText(share.bytes),
                    bar(total > 0 ? static_cast<double>(share.bytes) / static_cast<double>(total) : 0,
                        theme.groups[i % kMostGroups]),
                    shown);
    }
    html += QStringLiteral("</table>");
    if (shares.size() > kMostShares)
        html += QStringLiteral("<p>%1</p>").arg(tr("and %1 more").arg(shares.size() - kMostShares));
    return html;
}

QString OverviewPage::peakHtml() {
    const auto analysis = m_workspace.sources().analysis;
    if (!analysis) return {};
    if (analysis->peakBytes == 0)
        return QStringLiteral("<h3>%1</h3><p>%2</p>").arg(tr("Peak"), tr("No device memory was ever live."));
    const std::int64_t peakNs = analysis->peakNs;
    QString html = QStringLiteral("<h3>%1 &nbsp; %2</h3>")
                       .arg(tr("Where the peak went: %1 at").arg(bytesText(analysis->peakBytes)),
                            link(timeText(peakNs), [this, peakNs] {
                                m_workspace.selection().change([&](Selection& s) { s.timeNs = peakNs; });
                            }));
    html += QStringLiteral("<p><b>%1</b></p>").arg(tr("by library")) +
            barHtml(analysis->peakShares.at(model::SplitBy::Library), analysis->peakBytes,
                    QStringLiteral("library"));
    // Where the program names tasks, that one of them has everything is worth a line, too.
    const auto facts = m_workspace.session().facts();
    const bool namesTasks = facts && facts->tasks.size() > facts->processes.size();
    if (namesTasks || analysis->peakShares.at(model::SplitBy::Task).size() > 1)
        html += QStringLiteral("<p><b>%1</b></p>").arg(tr("by owner")) +
                barHtml(analysis->peakShares.at(model::SplitBy::Task), analysis->peakBytes,
                        QStringLiteral("task"));
    if (analysis->peakShares.at(model::SplitBy::Process).size() > 1)
        html += QStringLiteral("<p><b>%1</b></p>").arg(tr("by process")) +
                barHtml(analysis->peakShares.at(model::SplitBy::Process), analysis->peakBytes,
                        QStringLiteral("pid"));
    html += QStringLiteral("<p><b>%1</b></p>").arg(tr("by stack")) +
            barHtml(analysis->peakShares.at(model::SplitBy::Stack), analysis->peakBytes, {});
    return html;
}

QString OverviewPage::ledgerHtml() {
    const auto analysis = m_workspace.sources().analysis;
    if (!analysis) return {};
    const Theme& theme = themeOf(*this);
    QString html;
    for (const model::Ledger& ledger : analysis->ledgers) {
        const auto facts = m_workspace.session().facts();
        const model::Device* device = facts ? facts->devices.find(ledger.deviceId) : nullptr;
        const std::int64_t timeNs = ledger.timeNs;
        html += QStringLiteral("<h3>%1 %2</h3>")
                    .arg(tr("What the driver's number consists of: %1 at")
                             .arg(device ? toEscaped(device->name) : tr("device")),
                         link(timeText(timeNs), [this, timeNs] {
                             m_workspace.selection().change([&](Selection& s) { s.timeNs = timeNs; });
                         }));
        html += QStringLiteral("<table cellspacing='0' cellpadding='2'>");
        struct Term {
            QString label;
            std::int64_t bytes;
        };
        const std::array<Term, 8> terms{
            {{tr("live: buffers that the job had allocated"), ledger.tracked.live},
             {tr("pool unused: reserved by stream-ordered pools, in no buffer"), ledger.tracked.poolUnused},
             {tr("rounding: up to whole 2 MiB pages, and pages that small buffers share"),
              ledger.tracked.rounding},
             {tr("context: contexts and their first modules"), ledger.cost.contextBytes},
             {tr("code: came while kernels were launched for the first time"), ledger.cost.laterBytes},
             {tr("starting: processes whose context was still being made"), ledger.cost.startingBytes},
             {tr("ours, estimated: what CUPTI adds while vramscope records"), ledger.tracked.ours},
             {ledger.notAccountedBytes < 0 ? tr("not accounted: an estimate above was too high")
                                           : tr("not accounted: nothing in the record explains it"),
              ledger.notAccountedBytes}}};
        const auto largest = static_cast<double>(std::max<std::int64_t>(ledger.reportedBytes, 1));
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (terms[i].bytes == 0) continue;
            html += row(bytesText(terms[i].bytes),
                        bar(std::max(static_cast<double>(terms[i].bytes), 0.0) / largest,
                            theme.groups[i % kMostGroups]),
                        terms[i].label.toHtmlEscaped());
        }
        html += row(QStringLiteral("<b>%1</b>").arg(bytesText(ledger.reportedBytes)), bar(1, theme.quietText),
                    ledger.isWholeDevice ? tr("driver reports, for the whole device")
                                         : tr("driver reports, for this job"));
        html += QStringLiteral("</table>");
        if (ledger.totalBytes > 0)
            html += QStringLiteral("<p style='color:%1'>%2</p>")
                        .arg(theme.quietText.name(),
                             tr("The card has %1, of which %2 were free.")
                                 .arg(bytesText(ledger.totalBytes), bytesText(ledger.freeBytes)));
    }
    if (html.isEmpty())
        html =
            QStringLiteral("<h3>%1</h3><p>%2</p>")
                .arg(tr("What the driver's number consists of"),
                     tr("The driver's own numbers were not sampled, so there is nothing to compare with."));
    return html;
}

QString OverviewPage::sizesHtml() {
    const auto store = m_workspace.sources().store;
    if (!store || store->bufferCount() == 0) return {};
    const Theme& theme = themeOf(*this);
    struct Class {
        QString label;
        QString filter;
        std::int64_t below;
        std::int64_t count = 0;
        std::int64_t bytes = 0;
    };
    std::array<Class, 5> classes{{{tr("below 64 KiB"), QStringLiteral("size<64K"), 64 << 10},
                                  {tr("64 KiB to 1 MiB"), QStringLiteral("size<1M"), 1 << 20},
                                  {tr("1 to 16 MiB"), QStringLiteral("size>=1M"), 16 << 20},
                                  {tr("16 to 256 MiB"), QStringLiteral("size>=16M"), 256 << 20},
                                  {tr("256 MiB and more"), QStringLiteral("size>=256M"), model::kNever}}};
    for (Row at = 0; at < store->bufferCount(); ++at) {
        Class& c = *std::find_if(classes.begin(), classes.end(), [&](const Class& candidate) {
            return store->sizeBytes[at] < candidate.below;
        });
        ++c.count;
        c.bytes = model::addClamped(c.bytes, store->sizeBytes[at]);
    }
    const auto most = static_cast<double>(
        std::max_element(classes.begin(), classes.end(), [](const Class& a, const Class& b) {
            return a.count < b.count;
        })->count);
    QString html =
        QStringLiteral("<h3>%1</h3><table cellspacing='0' cellpadding='2'>").arg(tr("Allocations by size"));
    for (const Class& c : classes) {
        if (c.count == 0) continue;
        const QString filter = c.filter;
        html += row(countText(c.count), bar(static_cast<double>(c.count) / most, theme.groups[0]),
                    link(c.label, [this, filter] { m_workspace.showPage(Page::Buffers, filter); }) +
                        tr(", %1 in all").arg(bytesText(c.bytes)));
    }
    return html + QStringLiteral("</table>");
}

QString OverviewPage::asCsv() const {
    const auto analysis = m_workspace.sources().analysis;
    if (!analysis) return {};
    const std::array<std::pair<model::SplitBy, QString>, 5> splits{{{model::SplitBy::Library, tr("library")},
                                                                    {model::SplitBy::Task, tr("task")},
                                                                    {model::SplitBy::Process, tr("process")},
                                                                    {model::SplitBy::Kind, tr("kind")},
                                                                    {model::SplitBy::Stack, tr("stack")}}};
    TextTable table;
    table.heading = {tr("Peak by"), tr("Name"), tr("Bytes"), tr("Buffers")};
    for (const auto& [split, name] : splits) {
        const auto at = analysis->peakShares.find(split);
        if (at == analysis->peakShares.end()) continue;
        for (const model::Share& share : at->second)
            table.rows.push_back({name, toText(share.label), QString::number(share.bytes),
                                  QString::number(share.bufferCount)});
    }
    return table.csv();
}

}  // namespace vramscope::gui
