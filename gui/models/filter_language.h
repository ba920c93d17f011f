// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace vramscope::gui {

/// What a word of a filter is about.
enum class FilterKey {
    Text,     ///< a bare word: stack, api or name
    Size,     ///< bytes
    Age,      ///< how long it lived, to its end or the end of the run
    Time,     ///< when it was allocated
    Freed,    ///< when it was freed
    Address,  ///< contains the address, or lies in the range
    Kind,
    Process,  ///< pid or rank
    Device,
    Task,
    Library,
    Stack,  ///< a function, file or module of the allocating stack
    Api,
    Is,       ///< live, freed, held, host
    Finding,  ///< fingerprint or rule
    Id,
};

enum class FilterRelation { Equal, Contains, Less, AtMost, More, AtLeast };

/// One condition. All conditions of a filter must hold.
struct FilterTerm {
    FilterKey key = FilterKey::Text;
    FilterRelation relation = FilterRelation::Contains;
    bool isNegated = false;
    QString text;             ///< what was written
    std::int64_t number = 0;  ///< of Size, Age, Time, Freed, Address, Id
    std::int64_t end = 0;     ///< Address: behind the last byte of a range; 0 for a single address
    int position = 0;         ///< of the word in the filter
    int length = 0;

    bool operator==(const FilterTerm&) const = default;
};

/// A filter as it was understood, or why it was not.
struct ParsedFilter {
    std::vector<FilterTerm> terms;
    QString problem;  ///< empty when all of it was understood
    int problemPosition = 0;
    int problemLength = 0;

    bool isOk() const { return problem.isEmpty(); }
};

/// Reads a filter: `size>1M kind:async stack~attn -library:torch age>30s addr:0x7f2c40000100 is:held`.
/// Words stand side by side, "-" negates one, quotes hold blanks together.
ParsedFilter parseFilter(const QString& text);

/// Words to offer behind what was typed so far: keys, or the values of a key that has a fixed list.
QStringList filterCompletions(const QString& word);

/// `filter` with `word` added, in place of a word with the same key; for links and facets.
QString filterWith(const QString& filter, const QString& word);

/// One line on the language for a tool tip.
QString filterHelp();

}  // namespace vramscope::gui
