// SPDX-License-Identifier: Apache-2.0
#include "gui/models/filter_language.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "formats/buffer_kind.h"

namespace vramscope::gui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("FilterLanguage", text);
}

struct KeyName {
    const char* name;
    FilterKey key;
};

constexpr std::array<KeyName, 22> kKeys{
    {{"size", FilterKey::Size},       {"age", FilterKey::Age},         {"time", FilterKey::Time},
     {"freed", FilterKey::Freed},     {"addr", FilterKey::Address},    {"address", FilterKey::Address},
     {"kind", FilterKey::Kind},       {"pid", FilterKey::Process},     {"process", FilterKey::Process},
     {"device", FilterKey::Device},   {"gpu", FilterKey::Device},      {"task", FilterKey::Task},
     {"owner", FilterKey::Task},      {"library", FilterKey::Library}, {"lib", FilterKey::Library},
     {"stack", FilterKey::Stack},     {"api", FilterKey::Api},         {"is", FilterKey::Is},
     {"finding", FilterKey::Finding}, {"id", FilterKey::Id},           {"name", FilterKey::Text},
     {"text", FilterKey::Text}}};

constexpr std::array<const char*, 4> kStates{"live", "freed", "held", "host"};

struct Word {
    QString text;
    int position = 0;
    int length = 0;
};

/// Cuts at blanks outside of quotes; the quotes themselves go.
std::vector<Word> wordsOf(const QString& text) {
    std::vector<Word> words;
    for (int at = 0; at < text.size();) {
        while (at < text.size() && text[at].isSpace())
            ++at;
        if (at >= text.size()) break;
        Word word{{}, at, 0};
        bool isQuoted = false;
        for (; at < text.size() && (isQuoted || !text[at].isSpace()); ++at) {
            if (text[at] == QLatin1Char('"'))
                isQuoted = !isQuoted;
            else
                word.text += text[at];
        }
        word.length = at - word.position;
        words.push_back(word);
    }
    return words;
}

struct Unit {
    const char* suffix;
    double factor;
};

std::optional<std::int64_t> numberWithUnit(const QString& text, const std::vector<Unit>& units) {
    qsizetype digits = 0;
    while (digits < text.size() && (text[digits].isDigit() || text[digits] == QLatin1Char('.')))
        ++digits;
    bool isNumber = false;
    const double value = text.left(digits).toDouble(&isNumber);
    if (!isNumber) return std::nullopt;
    const QString suffix = text.mid(digits).trimmed().toLower();
    for (const Unit& unit : units) {
        if (suffix != QLatin1String(unit.suffix)) continue;
        const double result = value * unit.factor;
        if (result > 9.2e18) return std::nullopt;
        return static_cast<std::int64_t>(std::llround(result));
    }
    return std::nullopt;
}

std::optional<std::int64_t> bytesOf(const QString& text) {
    static const std::vector<Unit> kUnits{{"", 1},
                                          {"b", 1},
                                          {"k", 1024.0},
                                          {"kib", 1024.0},
                                          {"kb", 1000.0},
                                          {"m", 1048576.0},
                                          {"mib", 1048576.0},
                                          {"mb", 1e6},
                                          {"g", 1073741824.0},
                                          {"gib", 1073741824.0},
                                          {"gb", 1e9},
                                          {"t", 1099511627776.0},
                                          {"tib", 1099511627776.0}};
    return numberWithUnit(text, kUnits);
}

std::optional<std::int64_t> durationOf(const QString& text) {
    static const std::vector<Unit> kUnits{{"", 1e9}, {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},
                                          {"ns", 1}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
    return numberWithUnit(text, kUnits);
}

std::optional<std::int64_t> addressOf(QString text) {
    if (text.startsWith(QLatin1Char('b'))) text = text.mid(1).section(QLatin1Char('.'), 0, 0);
    if (text.startsWith(QLatin1String("0x"), Qt::CaseInsensitive)) text = text.mid(2);
    bool isNumber = false;
    const quint64 value = text.toULongLong(&isNumber, 16);
    if (!isNumber) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

bool readNumber(FilterTerm& term) {
    std::optional<std::int64_t> number;
    switch (term.key) {
        case FilterKey::Size:
            number = bytesOf(term.text);
            break;
        case FilterKey::Age:
        case FilterKey::Time:
        case FilterKey::Freed:
            number = durationOf(term.text);
            break;
        case FilterKey::Id: {
            bool isNumber = false;
            const qlonglong id = term.text.toLongLong(&isNumber);
            if (isNumber) number = id;
            break;
        }
        case FilterKey::Address: {
            const QStringList ends = term.text.split(QStringLiteral(".."));
            number = addressOf(ends.first());
            if (ends.size() == 2) {
                const auto end = addressOf(ends.last());
                if (!end) return false;
                term.end = *end;
            }
            break;
        }
        default:
            return true;
    }
    if (!number) return false;
    term.number = *number;
    return true;
}

bool hasKnownWord(const FilterTerm& term) {
    if (term.key == FilterKey::Is) {
        return std::any_of(kStates.begin(), kStates.end(),
                           [&](const char* state) { return term.text == QLatin1String(state); });
    }
    if (term.key == FilterKey::Kind)
        return formats::bufferKindFromName(term.text.toStdString()) != formats::BufferKind::Unknown;
    return true;
}

QString problemOf(const FilterTerm& term) {
    switch (term.key) {
        case FilterKey::Size:
            return tr("A size is a number with a unit: 512, 64K, 1.5M, 2G.");
        case FilterKey::Age:
        case FilterKey::Time:
        case FilterKey::Freed:
            return tr("A time is a number with a unit: 200us, 3ms, 1.5s, 2m.");
        case FilterKey::Address:
            return tr(
                "An address is hexadecimal: 0x7f2c40000100, or a range 0x7f2c40000000..0x7f2c40200000.");
        case FilterKey::Id:
            return tr("An id is a number.");
        case FilterKey::Kind:
            return tr(
                "Kinds are device, async, managed, pinned, registered, vmm, array, ipc, graph, module.");
        case FilterKey::Is:
            return tr("A buffer is live, freed, held (to the end) or host (memory).");
        default:
            return tr("This word has no value.");
    }
}

std::optional<FilterRelation> relationAt(const QString& text, qsizetype at, int& length) {
    length = 1;
    const QChar c = text[at];
    const bool hasEqual = at + 1 < text.size() && text[at + 1] == QLatin1Char('=');
    if (c == QLatin1Char(':') || c == QLatin1Char('=')) return FilterRelation::Equal;
    if (c == QLatin1Char('~')) return FilterRelation::Contains;
    if (c == QLatin1Char('<') || c == QLatin1Char('>')) {
        length = hasEqual ? 2 : 1;
        if (c == QLatin1Char('<')) return hasEqual ? FilterRelation::AtMost : FilterRelation::Less;
        return hasEqual ? FilterRelation::AtLeast : FilterRelation::More;
    }
    return std::nullopt;
}

/// The key that a word begins with, and where its value begins; nullopt for a bare word.
std::optional<FilterTerm> keyedTerm(const QString& word) {
    for (qsizetype at = 1; at < word.size(); ++at) {
        int length = 0;
        const auto relation = relationAt(word, at, length);
        if (!relation) continue;
        const QString name = word.left(at).toLower();
        for (const KeyName& key : kKeys) {
            if (name != QLatin1String(key.name)) continue;
            FilterTerm term;
            term.key = key.key;
            term.relation = *relation;
            term.text = word.mid(at + length);
            return term;
        }
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

ParsedFilter parseFilter(const QString& text) {
    ParsedFilter parsed;
    for (Word& word : wordsOf(text)) {
        const bool isNegated = word.text.size() > 1 && word.text.startsWith(QLatin1Char('-'));
        if (isNegated) word.text.remove(0, 1);
        FilterTerm term;
        if (auto keyed = keyedTerm(word.text))
            term = *keyed;
        else
            term.text = word.text;
        term.isNegated = isNegated;
        term.position = word.position;
        term.length = word.length;
        if (term.text.isEmpty() || !readNumber(term) || !hasKnownWord(term)) {
            parsed.problem = problemOf(term);
            parsed.problemPosition = word.position;
            parsed.problemLength = word.length;
            return parsed;
        }
        parsed.terms.push_back(term);
    }
    return parsed;
}

QStringList filterCompletions(const QString& word) {
    QStringList words;
    const QString typed = word.toLower();
    const auto offer = [&](const QString& candidate) {
        if (candidate.startsWith(typed) && candidate != typed) words.append(candidate);
    };
    for (const KeyName& key : kKeys) {
        const bool isNumber = key.key == FilterKey::Size || key.key == FilterKey::Age ||
                              key.key == FilterKey::Time || key.key == FilterKey::Freed;
        const bool isText =
            key.key == FilterKey::Stack || key.key == FilterKey::Task || key.key == FilterKey::Api;
        offer(QLatin1String(key.name) + (isNumber ? QStringLiteral(">")
                                         : isText ? QStringLiteral("~")
                                                  : QStringLiteral(":")));
    }
    for (const char* state : kStates)
        offer(QStringLiteral("is:") + QLatin1String(state));
    for (int kind = 0; kind < static_cast<int>(formats::BufferKind::Unknown); ++kind) {
        const auto name = formats::bufferKindName(static_cast<formats::BufferKind>(kind));
        offer(QStringLiteral("kind:") + QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    }
    return words;
}

QString filterWith(const QString& filter, const QString& word) {
    const auto added = parseFilter(word);
    QString result = filter;
    if (!added.isOk() || added.terms.empty()) return result;
    const auto parsed = parseFilter(filter);
    for (auto term = parsed.terms.rbegin(); term != parsed.terms.rend(); ++term) {
        if (term->key == added.terms.front().key && term->key != FilterKey::Text)
            result.remove(term->position, term->length);
    }
    return (result.trimmed() + QLatin1Char(' ') + word).trimmed();
}

QString filterHelp() {
    return tr(
        "size>1M   kind:async   stack~attention   library:torch   age>30s   time>2s   addr:0x7f2c40000100\n"
        "is:held   is:live   pid:4711   task~encoder   finding:leak.growth   -kind:pinned (not)\n"
        "All words must hold. Quotes keep blanks together.");
}

}  // namespace vramscope::gui
