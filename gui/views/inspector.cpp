// SPDX-License-Identifier: Apache-2.0
#include "gui/views/inspector.h"

#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "analyzer/model/stack_text.h"
#include "gui/models/text.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr std::size_t kFramesShown = 24;
/// Of those before and of those after.
constexpr std::size_t kOwnersShown = 4;
/// A source file larger than this is not looked into for one line.
constexpr qint64 kLargestSource = 4 << 20;

/// One line of a source file that lies on this machine; empty when it does not.
QString sourceLine(const QString& path, std::int64_t line) {
    if (line <= 0 || !QFileInfo(path).isAbsolute()) return {};
    const QFileInfo info(path);
    // A capture names the path: only plain files are opened, no devices or pipes.
    if (!info.isFile() || info.size() > kLargestSource) return {};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return {};
    for (std::int64_t at = 1; !file.atEnd(); ++at) {
        const QByteArray text = file.readLine(4096);
        if (at == line) return QString::fromUtf8(text).trimmed();
    }
    return {};
}

}  // namespace

Inspector::Inspector(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    m_text = new QTextBrowser(this);
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(10);
    m_text->setAccessibleName(tr("Inspector"));
    m_page = new NoteOrContent(m_text, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_page);
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        const std::size_t number = url.path().toUInt();
        if (url.scheme() != QLatin1String("go") || number >= m_links.size()) return;
        const auto action = m_links[number];
        action();
    });
    connect(&workspace, &Workspace::sourcesChanged, this, [this] {
        m_job.cancel();
        m_aroundOf = {};
        renew();
    });
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.buffer != before.buffer || now.stack != before.stack) renew();
            });
    renew();
}

void Inspector::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) renew();
    QWidget::changeEvent(event);
}

QString Inspector::link(const QString& label, std::function<void()> action) {
    m_links.push_back(std::move(action));
    return QStringLiteral("<a href='go:%1'>%2</a>").arg(m_links.size() - 1).arg(label.toHtmlEscaped());
}

QString Inspector::bufferLink(Row row) {
    const BufferStore& store = *m_workspace.sources().store;
    const model::BufferId id{store.idOf(row)};
    const model::StackId stack = store.allocStackOf(row);
    return link(toText(store.nameOf(row)), [this, id, stack] {
        m_workspace.selection().change([&](Selection& selection) {
            selection.buffer = id;
            selection.stack = stack;
        });
    });
}

void Inspector::renew() {
    m_links.clear();
    const Selection& now = m_workspace.now();
    if (!m_workspace.hasBuffers()) return m_page->showNote(tr("What you select is described here."));
    const BufferStore& store = *m_workspace.sources().store;
    const Row row = store.rowOf(now.buffer);
    QString html;
    if (row < store.bufferCount()) {
        if (m_aroundOf != now.buffer) look(row);
        html = bufferHtml(row);
        const bool isOtherStack = !now.stack.isNone() && now.stack != store.allocStackOf(row) &&
                                  now.stack != store.freeStackOf(row);
        if (isOtherStack) html += stackHtml(tr("The selected stack"), now.stack);
    } else if (!now.stack.isNone()) {
        html = stackHtml(tr("The selected stack"), now.stack);
    }
    if (html.isEmpty())
        return m_page->showNote(
            tr("Select a buffer, a box of the flame graph or a finding to see all about it."));
    m_text->setHtml(html);
    m_page->showContent();
}

QString Inspector::bufferHtml(Row row) {
    const BufferStore& s = *m_workspace.sources().store;
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    const Theme& theme = themeOf(*this);
    QString html = QStringLiteral("<p><b>%1</b> &nbsp; %2 &nbsp; %3</p>")
                       .arg(toEscaped(s.nameOf(row)), exactBytesText(s.sizeBytes[row]),
                            toEscaped(model::description(s.kind[row])));
    const auto line = [&](const QString& name, const QString& value) {
        html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
                    .arg(theme.quietText.name(), name, value);
    };
    html += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    const std::int64_t allocNs = s.allocNs[row];
    const std::int64_t freeNs = s.freeNs[row];
    line(tr("allocated"), link(timeText(allocNs, 1000),
                               [this, allocNs] {
                                   m_workspace.selection().change([&](Selection& x) { x.timeNs = allocNs; });
                               }) +
                              QStringLiteral(" ") + toEscaped(s.apis.word(s.api[row])));
    if (freeNs == model::kNever)
        line(tr("freed"), tr("never"));
    else
        line(tr("ended"), link(timeText(freeNs, 1000),
                               [this, freeNs] {
                                   m_workspace.selection().change([&](Selection& x) { x.timeNs = freeNs; });
                               }) +
                              QStringLiteral(" ") + toEscaped(model::name(s.endKind[row])) +
                              tr(", after %1").arg(durationText(freeNs - allocNs)));
    line(tr("owner"), toEscaped(facts.taskName({s.task[row]})));
    line(tr("asked by"),
         toEscaped(m_workspace.sources().stacks->libraryOf(s.allocStack[row], {s.process[row]})));
    if (const model::Process* process = facts.processes.find({s.process[row]}))
        line(tr("process"),
             tr("%1, pid %2").arg(toEscaped(facts.programName(process->id))).arg(process->pid) +
                 (process->rank ? tr(", rank %1").arg(*process->rank) : QString()));
    line(tr("bytes"), QStringLiteral("0x%1 .. 0x%2")
                          .arg(s.address[row], 0, 16)
                          .arg(s.address[row] + static_cast<std::uint64_t>(s.sizeBytes[row]), 0, 16));
    if (const auto& analysis = m_workspace.sources().analysis) {
        const auto at = analysis->findingOfBuffer.find(s.idOf(row));
        if (at != analysis->findingOfBuffer.end()) {
            const QString fingerprint = toText(analysis->findings[at->second].fingerprint);
            line(tr("finding"), link(toText(analysis->findings[at->second].rule),
                                     [this, fingerprint] { m_workspace.showFinding(fingerprint); }));
        }
    }
    html += QStringLiteral("</table>");
    html += stackHtml(tr("Allocated by"), s.allocStackOf(row));
    if (freeNs != model::kNever && s.freeStack[row] >= 0)
        html += stackHtml(tr("Freed by"), s.freeStackOf(row));
    return html + surroundingsHtml(row);
}

void Inspector::look(Row row) {
    m_around.reset();
    m_aroundOf = m_workspace.now().buffer;
    m_job.start(
        [store = m_workspace.sources().store, row, timeNs = m_workspace.momentNs()](const Cancel& cancel) {
            return surroundingsOf(*store, row, timeNs, kOwnersShown, cancel);
        },
        [this](Surroundings around) {
            m_around = std::move(around);
            // The reader may have scrolled meanwhile.
            const int top = m_text->verticalScrollBar()->value();
            renew();
            m_text->verticalScrollBar()->setValue(top);
        });
}

QString Inspector::surroundingsHtml(Row row) {
    if (!m_around) return QStringLiteral("<p>%1</p>").arg(tr("Looking for its neighbours ..."));
    return ownersHtml(row, *m_around) + neighboursHtml(row, *m_around);
}

QString Inspector::ownersHtml(Row row, const Surroundings& around) {
    const BufferStore& s = *m_workspace.sources().store;
    if (around.ownerCount == 0)
        return QStringLiteral("<p>%1</p>").arg(tr("No other buffer ever lay at these bytes."));
    QString html = QStringLiteral("<p><b>%1</b></p><table cellspacing='0' cellpadding='1'>")
                       .arg(tr("Others at the same bytes, %1 in all").arg(countText(around.ownerCount)));
    const auto tell = [&](Row other, const QString& order) {
        const QString when = s.freeNs[other] == model::kNever
                                 ? tr("from %1").arg(timeText(s.allocNs[other]))
                                 : tr("%1 to %2").arg(timeText(s.allocNs[other]), timeText(s.freeNs[other]));
        html += QStringLiteral("<tr><td>%1&nbsp;</td><td>%2&nbsp;</td><td>%3</td></tr>")
                    .arg(order, bufferLink(other), when);
    };
    for (const Row other : around.before)
        tell(other, s.freeNs[other] > s.allocNs[row] ? tr("shared, before") : tr("before"));
    for (const Row other : around.after)
        tell(other, s.allocNs[other] < s.freeNs[row] ? tr("shared, after") : tr("after"));
    return html + QStringLiteral("</table>");
}

QString Inspector::neighboursHtml(Row row, const Surroundings& around) {
    const BufferStore& s = *m_workspace.sources().store;
    const auto endOf = [&](Row other) {
        return s.address[other] + static_cast<std::uint64_t>(s.sizeBytes[other]);
    };
    const auto gapText = [](std::uint64_t end, std::uint64_t begin) {
        return bytesText(static_cast<std::int64_t>(begin - std::min(begin, end)));
    };
    QString html =
        QStringLiteral("<p><b>%1</b><br>").arg(tr("Neighbours at %1").arg(timeText(around.momentNs)));
    html += around.below ? bufferLink(*around.below) +
                               tr(" ends %1 below").arg(gapText(endOf(*around.below), s.address[row]))
                         : tr("nothing live below it");
    html += QStringLiteral("<br>");
    html += around.above ? bufferLink(*around.above) +
                               tr(" begins %1 above").arg(gapText(endOf(row), s.address[*around.above]))
                         : tr("nothing live above it");
    return html + QStringLiteral("</p>");
}

QString Inspector::stackHtml(const QString& title, model::StackId stack) const {
    const Theme& theme = themeOf(*this);
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    QString html = QStringLiteral("<p><b>%1</b></p>").arg(title);
    const auto frames = model::readableFrames(facts, stack, kFramesShown);
    if (frames.empty()) return html + QStringLiteral("<p>%1</p>").arg(tr("a place that was not recorded"));
    html += QStringLiteral("<p>");
    for (const model::FrameText& frame : frames)
        html += QStringLiteral("%1 &nbsp;<span style='color:%2'>%3</span><br>")
                    .arg(toEscaped(model::shortFunction(frame.function)), theme.quietText.name(),
                         toEscaped(frame.place));
    html += QStringLiteral("</p>");
    for (const model::Frame* frame : model::framesOf(facts, stack)) {
        const QString line = sourceLine(toText(frame->file), frame->line);
        if (line.isEmpty()) continue;
        return html + QStringLiteral("<p style='color:%1'>%2:%3</p><p><code>%4</code></p>")
                          .arg(theme.quietText.name(), toEscaped(frame->file))
                          .arg(frame->line)
                          .arg(line.toHtmlEscaped());
    }
    return html;
}

}  // namespace vramscope::gui
