// SPDX-License-Identifier: Apache-2.0
#include "gui/views/finding_page.h"

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/report/finding_link.h"
#include "gui/models/related_findings.h"
#include "gui/models/text.h"
#include "gui/models/text_table.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr std::size_t kFramesShown = 12;

QString paragraph(const QString& text) {
    return QStringLiteral("<p>%1</p>").arg(text);
}

}  // namespace

FindingPage::FindingPage(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    auto* content = new QWidget(this);
    m_text = new QTextBrowser(content);
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(16);
    m_text->setAccessibleName(tr("The finding"));
    m_suppress = new QPushButton(content);
    auto* copy = new QPushButton(tr("Copy as Markdown"), content);
    auto* copyId = new QPushButton(tr("Copy id"), content);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(16, 4, 16, 8);
    for (QPushButton* button : {m_suppress, copy, copyId})
        buttons->addWidget(button);
    buttons->addStretch();
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(m_text);
    inner->addLayout(buttons);
    m_page = new NoteOrContent(content, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_page);

    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        if (url.scheme() == QLatin1String("sentence")) followSentence(url.path().toUInt());
        if (url.scheme() == QLatin1String("finding")) m_workspace.showFinding(url.path());
    });
    connect(m_suppress, &QPushButton::clicked, this, &FindingPage::suppress);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(markdown()); });
    connect(copyId, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_workspace.now().finding); });
    connect(&workspace, &Workspace::sourcesChanged, this, &FindingPage::renew);
    connect(&workspace.sidecar(), &Sidecar::changed, this, &FindingPage::renew);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.finding != before.finding) renew();
            });
    renew();
}

const detectors::Finding* FindingPage::shown() const {
    const auto analysis = m_workspace.sources().analysis;
    return analysis ? analysis->find(m_workspace.now().finding.toStdString()) : nullptr;
}

void FindingPage::renew() {
    m_story.clear();
    const detectors::Finding* finding = shown();
    if (!finding) {
        m_page->showNote(m_workspace.sources().analysis
                             ? tr("Choose a finding at the left, or press N for the first one.")
                             : tr("Findings come when the capture has been read."));
        return;
    }
    m_story = storyOf(*finding, m_workspace.sources(), m_workspace.now());
    // A capture that grows tells the same finding again and again to somebody who is reading it.
    const bool isSame = m_shownFinding == m_workspace.now().finding;
    const int scroll = isSame ? m_text->verticalScrollBar()->value() : 0;
    m_shownFinding = m_workspace.now().finding;
    m_text->setHtml(html(*finding));
    m_text->moveCursor(QTextCursor::Start);
    m_text->verticalScrollBar()->setValue(scroll);
    const bool isSuppressed = !m_workspace.sidecar().suppressionOf(toText(finding->fingerprint)).isEmpty();
    m_suppress->setText(isSuppressed ? tr("Take the suppression back") : tr("Suppress ..."));
    m_page->showContent();
}

void FindingPage::followSentence(std::size_t number) {
    if (number < m_story.size()) m_workspace.selection().set(m_story[number].target);
}

QString FindingPage::html(const detectors::Finding& finding) const {
    const Theme& theme = themeOf(*this);
    const bool isProven = finding.confidence == detectors::Confidence::Proven;
    const bool isAProblem = isProblem(finding.findingClass);
    const QColor color = !isAProblem ? theme.calm : isProven ? theme.problem : theme.possible;
    QString text = QStringLiteral("<h2>%1 <span style='color:%2'>%3</span></h2>")
                       .arg(toEscaped(finding.rule), color.name(), toEscaped(finding.headline));
    text += QStringLiteral("<p style='color:%1'>%2</p>")
                .arg(theme.quietText.name(),
                     (isAProblem ? tr("class %1, %2") : tr("no problem, worth knowing: class %1, %2"))
                         .arg(toEscaped(name(finding.findingClass)),
                              isProven ? tr("proven") : tr("possible: do not act on this alone")));
    const QString reason = m_workspace.sidecar().suppressionOf(toText(finding.fingerprint));
    if (!reason.isEmpty()) text += paragraph(tr("<b>Suppressed:</b> %1").arg(reason.toHtmlEscaped()));
    text += paragraph(toEscaped(finding.sentence)) + relatedHtml(finding);
    if (!m_story.empty()) {
        text += QStringLiteral("<h3>%1</h3><table cellspacing='0' cellpadding='3'>").arg(tr("What happened"));
        for (std::size_t i = 0; i < m_story.size(); ++i) {
            text += QStringLiteral(
                        "<tr><td style='color:%1' align='right'>%2&nbsp;</td><td><a "
                        "href='sentence:%3'>%4</a></td></tr>")
                        .arg(theme.quietText.name(), m_story[i].when.toHtmlEscaped())
                        .arg(i)
                        .arg(m_story[i].text.toHtmlEscaped());
        }
        text += QStringLiteral("</table>");
    }
    if (!finding.evidence.empty()) {
        text += QStringLiteral("<h3>%1</h3><ul>").arg(tr("Why we think so"));
        for (const std::string& fact : finding.evidence)
            text += QStringLiteral("<li>%1</li>").arg(toEscaped(fact));
        text += QStringLiteral("</ul>");
    }
    if (finding.parts > 1) {
        const auto processes = static_cast<std::int64_t>(finding.processes.size());
        text += paragraph(tr("It shows itself %1 times in %2: %3 in all, %4.")
                              .arg(countText(finding.parts),
                                   toText(model::countOf(processes, "process", "processes")),
                                   countText(finding.count), bytesText(finding.bytes)));
    }
    const bool isTold = std::ranges::find(finding.evidence, finding.because) != finding.evidence.end();
    if (!finding.because.empty() && !isTold) text += paragraph(toEscaped(finding.because));
    if (!finding.wouldProveWrong.empty())
        text += QStringLiteral("<h3>%1</h3>").arg(tr("Why it may be wrong")) +
                paragraph(toEscaped(finding.wouldProveWrong));
    if (!finding.wouldMakeSure.empty())
        text += QStringLiteral("<h3>%1</h3>").arg(tr("How to make sure")) +
                paragraph(toEscaped(finding.wouldMakeSure));
    text += stacksHtml(finding);
    text += QStringLiteral("<p style='color:%1'>%2</p>")
                .arg(theme.quietText.name(), tr("id %1").arg(toEscaped(finding.fingerprint)));
    return text;
}

QString FindingPage::relatedHtml(const detectors::Finding& finding) const {
    QString text;
    for (const detectors::Finding* related : relatedTo(finding, *m_workspace.sources().analysis))
        text += paragraph(QStringLiteral("<b>%1</b> <a href='finding:%2'>%3</a> %4")
                              .arg(relationText(*related).toHtmlEscaped(), toEscaped(related->fingerprint),
                                   toEscaped(related->rule), toEscaped(related->headline)));
    return text;
}

QString FindingPage::stacksHtml(const detectors::Finding& finding) const {
    QString text;
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    for (const detectors::LabelledStack& stack : finding.stacks) {
        text += QStringLiteral("<h3>%1</h3>").arg(toEscaped(stack.label));
        const auto frames = model::toldFrames(facts, stack.stack, kFramesShown);
        if (frames.empty()) text += paragraph(tr("at a place that was not recorded"));
        text += QStringLiteral("<table cellspacing='0' cellpadding='2'>");
        for (const model::FrameText& frame : frames) {
            text +=
                QStringLiteral("<tr><td><code>%1</code>&nbsp;&nbsp;</td><td style='color:%2'>%3</td></tr>")
                    .arg(toEscaped(frame.function), themeOf(*this).quietText.name(), toEscaped(frame.place));
        }
        text += QStringLiteral("</table>");
    }
    return text;
}

QString FindingPage::markdown() const {
    const detectors::Finding* finding = shown();
    if (!finding) return {};
    QString text = QStringLiteral("### %1: %2\n\n%3\n\n")
                       .arg(toText(finding->rule), toText(finding->headline), toText(finding->sentence));
    for (const detectors::Finding* related : relatedTo(*finding, *m_workspace.sources().analysis))
        text += QStringLiteral("%1 %2 %3, `%4`\n\n")
                    .arg(relationText(*related), toText(related->rule), toText(related->headline),
                         toText(related->fingerprint));
    for (const StorySentence& sentence : m_story)
        text += QStringLiteral("- %1 %2\n")
                    .arg(sentence.when, sentence.text)
                    .replace(QStringLiteral("-  "), QStringLiteral("- "));
    text += QLatin1Char('\n');
    for (const std::string& fact : finding->evidence)
        text += toText(fact) + QLatin1Char('\n');
    for (const detectors::LabelledStack& stack : finding->stacks) {
        text += QStringLiteral("\n%1\n\n```\n").arg(toText(stack.label));
        for (const model::FrameText& frame :
             model::toldFrames(m_workspace.sources().stacks->facts(), stack.stack, kFramesShown))
            text += toText(frame.function) + QStringLiteral("  ") + toText(frame.place) + QLatin1Char('\n');
        text += QStringLiteral("```\n");
    }
    return text + QStringLiteral("\n`%1`\n")
                      .arg(toText(report::openCommand(m_workspace.session().path(), *finding)));
}

void FindingPage::suppress() {
    const QString fingerprint = m_workspace.now().finding;
    if (!m_workspace.sidecar().suppressionOf(fingerprint).isEmpty()) {
        (void)m_workspace.sidecar().suppress(fingerprint, {});
        return;
    }
    bool isAccepted = false;
    const QString reason =
        QInputDialog::getText(this, tr("Suppress this finding"),
                              tr("Why can it be lived with? The reason is kept with your notes."),
                              QLineEdit::Normal, {}, &isAccepted);
    if (isAccepted && !reason.trimmed().isEmpty()) (void)m_workspace.sidecar().suppress(fingerprint, reason);
}

QString FindingPage::asCsv() const {
    const auto analysis = m_workspace.sources().analysis;
    if (!analysis) return {};
    TextTable table;
    table.heading = {tr("Rule"),  tr("Class"), tr("Confidence"), tr("Headline"), tr("Sentence"),
                     tr("Bytes"), tr("Count"), tr("Where"),      tr("Id"),       tr("Suppressed because")};
    for (const detectors::Finding& finding : analysis->findings) {
        const model::StackId stack = finding.stacks.empty() ? model::StackId() : finding.stacks.front().stack;
        table.rows.push_back(
            {toText(finding.rule), toText(name(finding.findingClass)), toText(name(finding.confidence)),
             toText(finding.headline), toText(finding.sentence), QString::number(finding.bytes),
             QString::number(finding.count),
             stack.isNone()
                 ? QString()
                 : toText(m_workspace.sources().stacks->placeOf(static_cast<std::int32_t>(stack.value))),
             toText(finding.fingerprint), m_workspace.sidecar().suppressionOf(toText(finding.fingerprint))});
    }
    return table.csv();
}

}  // namespace vramscope::gui
