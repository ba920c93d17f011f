// SPDX-License-Identifier: Apache-2.0
#include "gui/views/compare_page.h"

#include <QVBoxLayout>

#include "analyzer/model/capture_loader.h"
#include "gui/models/text.h"
#include "gui/models/text_table.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr std::size_t kMostRows = 20;

QString signedBytes(std::int64_t bytes) {
    return (bytes > 0 ? QStringLiteral("+") : QString()) + bytesText(bytes);
}

}  // namespace

ComparePage::ComparePage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    m_text = new QTextBrowser(this);
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(16);
    m_text->setAccessibleName(tr("Comparison"));
    m_page = new NoteOrContent(m_text, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_page);
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        if (url.scheme() == QLatin1String("swap")) {
            m_isSwapped = !m_isSwapped;
            start();
        }
        if (url.scheme() == QLatin1String("other")) Q_EMIT fileWanted();
        if (url.scheme() == QLatin1String("finding")) m_workspace.showFinding(url.path());
    });
    connect(&workspace.session(), &Session::opened, this, &ComparePage::showInvitation);
    connect(&workspace.session(), &Session::closed, this, &ComparePage::showInvitation);
    showInvitation();
}

void ComparePage::showInvitation() {
    m_job.cancel();
    m_difference.reset();
    m_page->showNote(tr("Compare this capture with an earlier one: what leaked since, what was mended, where "
                        "the bytes went."),
                     tr("Compare with ..."), [this] { Q_EMIT fileWanted(); });
}

void ComparePage::compareWith(const std::filesystem::path& before) {
    m_before = before;
    m_isSwapped = false;
    start();
}

void ComparePage::start() {
    if (m_before.empty() || !m_workspace.session().isOpen()) return;
    m_page->showNote(tr("Comparing ..."), tr("Cancel"), [this] { showInvitation(); });
    std::filesystem::path before = m_before;
    std::filesystem::path after = m_workspace.session().readablePath();
    if (m_isSwapped) std::swap(before, after);
    m_job.start(
        [before, after](const Cancel&) -> Outcome {
            const auto older = model::loadCapture(before);
            if (!older.isOk()) return {nullptr, toText(older.status().message())};
            const auto newer = model::loadCapture(after);
            if (!newer.isOk()) return {nullptr, toText(newer.status().message())};
            return {std::make_shared<const report::Difference>(report::differenceOf(**older, **newer)), {}};
        },
        [this](Outcome outcome) {
            m_difference = outcome.difference;
            if (m_difference) return show(*m_difference);
            m_page->showNote(outcome.problem, tr("Compare with another ..."),
                             [this] { Q_EMIT fileWanted(); });
        });
}

void ComparePage::show(const report::Difference& difference) {
    const Theme& theme = themeOf(*this);
    QString html =
        QStringLiteral("<h2>%1</h2><p><a href='swap:'>%2</a> &nbsp; <a href='other:'>%3</a></p>")
            .arg(tr("From %1 to %2").arg(toEscaped(difference.beforeName), toEscaped(difference.afterName)),
                 tr("Swap"), tr("Another file ..."));
    for (const std::string& gap : difference.gaps)
        html += QStringLiteral("<p style='color:%1'>%2</p>").arg(theme.possible.name(), toEscaped(gap));
    const auto findings = [&](const QString& title, const std::vector<detectors::Finding>& list,
                              const QColor& color, bool isHere) {
        html += QStringLiteral("<h3>%1</h3>").arg(title);
        if (list.empty()) html += QStringLiteral("<p>%1</p>").arg(tr("none"));
        for (const detectors::Finding& finding : list) {
            const QString rule = isHere ? QStringLiteral("<a href='finding:%1'>%2</a>")
                                              .arg(toEscaped(finding.fingerprint), toEscaped(finding.rule))
                                        : toEscaped(finding.rule);
            html +=
                QStringLiteral("<p><span style='color:%1'>%2</span> %3 &nbsp;<b>%4</b><br>%5</p>")
                    .arg(color.name(), isHere != m_isSwapped ? QStringLiteral("＋") : QStringLiteral("－"),
                         rule, toEscaped(finding.headline), toEscaped(finding.sentence));
        }
    };
    findings(tr("Findings that came"), difference.newFindings, theme.problem, !m_isSwapped);
    findings(tr("Findings that went"), difference.goneFindings, theme.calm, m_isSwapped);
    html += QStringLiteral("<h3>%1</h3><table cellspacing='0' cellpadding='3'>").arg(tr("Bytes"));
    const auto line = [&](const QString& label, const report::Difference::Amount& amount) {
        const QString arrow = amount.change() > 0   ? QStringLiteral("▲")
                              : amount.change() < 0 ? QStringLiteral("▼")
                                                    : QString();
        html += QStringLiteral(
                    "<tr><td>%1&nbsp;</td><td align='right'>%2&nbsp;</td><td align='right'>%3&nbsp;</td><td "
                    "align='right' style='color:%4'><b>%5 %6</b></td></tr>")
                    .arg(label, bytesText(amount.beforeBytes), bytesText(amount.afterBytes),
                         (amount.change() > 0 ? theme.problem : theme.calm).name(), arrow,
                         signedBytes(amount.change()));
    };
    line(tr("peak"), difference.peak);
    line(tr("held at the end"), difference.end);
    html += QStringLiteral("</table>");
    const auto table = [&](const QString& title, const std::vector<report::Difference::Amount>& amounts) {
        if (amounts.empty()) return;
        html += QStringLiteral("<h3>%1</h3><table cellspacing='0' cellpadding='3'>").arg(title);
        for (std::size_t i = 0; i < std::min(amounts.size(), kMostRows); ++i)
            line(toEscaped(amounts[i].label), amounts[i]);
        html += QStringLiteral("</table>");
        if (amounts.size() > kMostRows)
            html += QStringLiteral("<p>%1</p>").arg(tr("and %1 more").arg(amounts.size() - kMostRows));
    };
    table(tr("The peak by library"), difference.peakByLibrary);
    table(tr("The peak by stack"), difference.peakByStack);
    if (difference.isEmpty())
        html += QStringLiteral("<p><b>%1</b></p>").arg(tr("No byte and no finding differs."));
    m_text->setHtml(html);
    m_page->showContent();
}

QString ComparePage::asCsv() const {
    if (!m_difference) return {};
    TextTable table;
    table.heading = {tr("What"), tr("Name"), tr("Bytes before"), tr("Bytes after"), tr("Change")};
    const auto add = [&](const QString& what, const report::Difference::Amount& amount) {
        table.rows.push_back({what, toText(amount.label), QString::number(amount.beforeBytes),
                              QString::number(amount.afterBytes), QString::number(amount.change())});
    };
    add(tr("peak"), m_difference->peak);
    add(tr("held at the end"), m_difference->end);
    for (const report::Difference::Amount& amount : m_difference->peakByLibrary)
        add(tr("peak by library"), amount);
    for (const report::Difference::Amount& amount : m_difference->peakByStack)
        add(tr("peak by stack"), amount);
    for (const detectors::Finding& finding : m_difference->newFindings)
        table.rows.push_back(
            {tr("finding that came"), toText(finding.rule + " " + finding.headline), {}, {}, {}});
    for (const detectors::Finding& finding : m_difference->goneFindings)
        table.rows.push_back(
            {tr("finding that went"), toText(finding.rule + " " + finding.headline), {}, {}, {}});
    return table.csv();
}

}  // namespace vramscope::gui
