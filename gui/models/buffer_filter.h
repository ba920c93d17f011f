// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "gui/models/filter_language.h"
#include "gui/models/stack_index.h"
#include "gui/session/analysis.h"
#include "gui/session/buffer_store.h"
#include "gui/session/selection.h"

namespace vramscope::gui {

/// Which buffers of a capture a selection's scope and filter let through. Texts are looked up once when it is
/// made; asking about a row is a few comparisons. Immutable; keeps what it needs alive.
class BufferFilter {
public:
    /// Everything a filter may ask. `analysis` may be null: then no finding has buffers.
    struct Sources {
        std::shared_ptr<const BufferStore> store;
        std::shared_ptr<const StackIndex> stacks;
        std::shared_ptr<const Analysis> analysis;
    };

    /// Everything passes.
    BufferFilter() = default;
    /// The terms of `filter`, and the process, device and task of `selection`.
    BufferFilter(Sources sources, const ParsedFilter& filter, const Selection& selection);

    bool fits(Row row) const;
    bool isEverything() const { return m_terms.empty(); }

private:
    struct Term {
        FilterTerm term;
        std::vector<bool> fits;                ///< by what the key counts: stack position, api, kind, ...
        std::unordered_set<std::int64_t> ids;  ///< processes, devices, tasks, buffers of findings
    };
    void addScope(const Selection& selection);
    void addTerm(const FilterTerm& term);
    bool holds(const Term& term, Row row) const;
    bool stackFits(const Term& term, std::int32_t stack) const;
    void prepareText(Term& term) const;
    void prepareLibrary(Term& term) const;
    void prepareProcesses(Term& term) const;
    void prepareFindings(Term& term) const;

    Sources m_sources;
    std::vector<Term> m_terms;
    std::int64_t m_endNs = 0;
};

}  // namespace vramscope::gui
