// SPDX-License-Identifier: Apache-2.0
#include "gui/models/owner_text.h"

#include <QCoreApplication>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

using Kind = OwnerMark::Kind;

QString tr(const char* text) {
    return QCoreApplication::translate("OwnerText", text);
}

QString whereText(const OwnerMark& mark) {
    return tr("%1 at offset 0x%2").arg(bytesText(mark.sizeBytes)).arg(mark.offset, 0, 16);
}

QString callText(const OwnerMark& mark) {
    QString text = toText(mark.what);
    if (mark.callCount > 1)
        text += tr(", %1 times until %2").arg(countText(mark.callCount), timeText(mark.time.toNs, 1000));
    return text;
}

QString withoutMoment(const OwnerMark& mark, const model::Capture& facts) {
    const QString task = mark.task.isNone() ? tr("every task") : toText(facts.taskName(mark.task));
    const QString who = mark.task.isNone() ? tr("somebody") : task;
    switch (mark.kind) {
        case Kind::Name:
            return tr("%1 is called \"%2\"").arg(whereText(mark), toText(mark.what));
        case Kind::Give:
            return tr("%1 is given to %2").arg(whereText(mark), task);
        case Kind::LendRead:
            return tr("%1 is lent to %2 to read, until %3")
                .arg(whereText(mark), task, timeText(mark.time.toNs, 1000));
        case Kind::LendWrite:
            return tr("%1 is lent to %2 to write, until %3")
                .arg(whereText(mark), task, timeText(mark.time.toNs, 1000));
        case Kind::Read:
            return tr("%1 reads %2: %3").arg(who, whereText(mark), callText(mark));
        case Kind::Write:
            return tr("%1 writes %2: %3").arg(who, whereText(mark), callText(mark));
        case Kind::Pointer:
            return tr("a kernel of %1 is given a pointer to offset 0x%2: %3")
                .arg(who)
                .arg(mark.offset, 0, 16)
                .arg(callText(mark));
        case Kind::Overwrite:
            return tr("%1 writes what is another's, %2: %3").arg(who, whereText(mark), callText(mark));
        case Kind::AfterFree:
            return tr("used after it was freed: %1").arg(callText(mark));
        case Kind::GuardHit: {
            QString text = tr("%1 bytes behind its end changed between %2 and %3")
                               .arg(countText(mark.sizeBytes), timeText(mark.time.fromNs, 1000),
                                    timeText(mark.time.toNs, 1000));
            if (!mark.what.empty()) text += tr("; %1 was given a pointer to it then").arg(toText(mark.what));
            return text;
        }
    }
    return {};
}

}  // namespace

QString sentenceOf(const OwnerMark& mark, const model::Capture& facts) {
    const std::int64_t atNs = mark.kind == Kind::AfterFree ? mark.time.toNs : mark.time.fromNs;
    return timeText(atNs, 1000) + QStringLiteral("  ") + withoutMoment(mark, facts);
}

QString meaningOf(Kind kind) {
    switch (kind) {
        case Kind::Name:
            return tr("named");
        case Kind::Give:
            return tr("given to another");
        case Kind::LendRead:
        case Kind::LendWrite:
            return tr("lent");
        case Kind::Read:
            return tr("read");
        case Kind::Write:
            return tr("written");
        case Kind::Pointer:
            return tr("pointer in a kernel");
        case Kind::Overwrite:
            return tr("overwritten");
        case Kind::AfterFree:
            return tr("used when free");
        case Kind::GuardHit:
            return tr("changed behind its end");
    }
    return {};
}

bool isFault(Kind kind) {
    return kind == Kind::Overwrite || kind == Kind::AfterFree || kind == Kind::GuardHit;
}

}  // namespace vramscope::gui
