// SPDX-License-Identifier: Apache-2.0
#include "gui/models/stack_tree.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyzer/model/library.h"
#include "analyzer/model/stack_text.h"

namespace vramscope::gui {
namespace {

struct Amount {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
};

/// How a frame is shown, worked out once.
struct FrameLabel {
    std::string function;
    std::string place;
    std::string library;
    bool isPlumbing = false;
};

std::int64_t peakOf(const BufferStore& store, const std::vector<bool>& isCounted) {
    std::int64_t live = 0;
    std::int64_t most = 0;
    std::int64_t peakNs = 0;
    for (const std::uint32_t event : store.events) {
        const Row row = event >> 1U;
        if (!isCounted[row]) continue;
        live += (event & 1U) ? -store.sizeBytes[row] : store.sizeBytes[row];
        if (live > most) {
            most = live;
            peakNs = store.timeOfEvent(event);
        }
    }
    return peakNs;
}

bool counts(const BufferStore& s, Row row, const StackQuestion& question, std::int64_t atNs) {
    switch (question.metric) {
        case StackMetric::LiveAt:
        case StackMetric::Peak:
            return s.isLiveAt(row, atNs);
        case StackMetric::Growth:
            return question.range.contains(s.allocNs[row]) && s.freeNs[row] >= question.range.toNs;
        case StackMetric::Held:
            return s.endKind[row] == model::EndKind::Live || s.endKind[row] == model::EndKind::ProcessEnded;
        case StackMetric::Allocated:
            return true;
        case StackMetric::Temporary:
            return s.freeNs[row] != model::kNever && s.freeNs[row] - s.allocNs[row] < question.endNs / 100;
    }
    return false;
}

class TreeBuilder {
public:
    TreeBuilder(const StackIndex& stacks, const StackQuestion& question)
        : m_facts(stacks.facts()), m_question(question) {
        m_tree.nodes.emplace_back();
    }

    void add(model::StackId stack, const Amount& amount) {
        std::vector<const FrameLabel*> path = pathOf(stack);
        std::int32_t node = 0;
        addTo(node, amount);
        for (const FrameLabel* frame : path) {
            node = childOf(node, *frame, stack);
            addTo(node, amount);
        }
        m_tree.nodes[static_cast<std::size_t>(node)].selfBytes += amount.bytes;
    }

    StackTree take() {
        for (StackTree::Node& node : m_tree.nodes) {
            std::sort(node.children.begin(), node.children.end(), [this](std::int32_t a, std::int32_t b) {
                const auto& left = m_tree.nodes[static_cast<std::size_t>(a)];
                const auto& right = m_tree.nodes[static_cast<std::size_t>(b)];
                return left.bytes != right.bytes ? left.bytes > right.bytes : left.function < right.function;
            });
        }
        rankLibraries();
        return std::move(m_tree);
    }

private:
    void rankLibraries() {
        std::map<std::string, std::int64_t> bytes;
        for (const StackTree::Node& node : m_tree.nodes)
            bytes[node.library] = model::addClamped(bytes[node.library], node.bytes);
        for (const auto& [library, sum] : bytes)
            m_tree.libraries.push_back(library);
        std::stable_sort(m_tree.libraries.begin(), m_tree.libraries.end(),
                         [&](const auto& a, const auto& b) { return bytes[a] > bytes[b]; });
        for (StackTree::Node& node : m_tree.nodes) {
            const auto at = std::find(m_tree.libraries.begin(), m_tree.libraries.end(), node.library);
            node.libraryRank = static_cast<std::size_t>(at - m_tree.libraries.begin());
        }
    }

    /// Outermost first, or innermost first for a tree from the bottom up.
    std::vector<const FrameLabel*> pathOf(model::StackId stack) {
        std::vector<const FrameLabel*> path;
        for (const model::Frame* frame : model::framesOf(m_facts, stack)) {
            const FrameLabel& label = labelOf(*frame);
            if (!m_question.foldsPlumbing || !label.isPlumbing) path.push_back(&label);
        }
        if (path.empty()) path.push_back(&m_unknown);
        if (!m_question.isBottomUp) std::reverse(path.begin(), path.end());
        return path;
    }

    const FrameLabel& labelOf(const model::Frame& frame) {
        const auto at = m_labels.find(frame.id.value);
        if (at != m_labels.end()) return at->second;
        const model::FrameText text = model::frameText(m_facts, frame);
        FrameLabel label;
        label.function = model::shortFunction(text.function);
        label.place = text.place;
        label.library = model::libraryOfFrame(m_facts, frame).name;
        label.isPlumbing = model::isPlumbing(m_facts, frame) || model::isInterpreter(m_facts, frame);
        return m_labels.emplace(frame.id.value, std::move(label)).first->second;
    }

    std::int32_t childOf(std::int32_t parent, const FrameLabel& frame, model::StackId stack) {
        const std::string key = std::to_string(parent) + '\n' + frame.function + '\n' +
                                (frame.function.empty() ? frame.place : frame.library);
        const auto at = m_children.find(key);
        if (at != m_children.end()) return at->second;
        const auto number = static_cast<std::int32_t>(m_tree.nodes.size());
        StackTree::Node node;
        node.function = frame.function.empty() ? frame.place : frame.function;
        node.place = frame.place;
        node.library = frame.library;
        node.parent = parent;
        node.stack = stack;
        node.depth = m_tree.nodes[static_cast<std::size_t>(parent)].depth + 1;
        m_tree.nodes.push_back(std::move(node));
        m_tree.nodes[static_cast<std::size_t>(parent)].children.push_back(number);
        m_children.emplace(key, number);
        return number;
    }

    void addTo(std::int32_t node, const Amount& amount) {
        StackTree::Node& n = m_tree.nodes[static_cast<std::size_t>(node)];
        n.bytes = model::addClamped(n.bytes, amount.bytes);
        n.count += amount.count;
    }

    const model::Capture& m_facts;
    StackQuestion m_question;
    StackTree m_tree;
    FrameLabel m_unknown{"a place that was not recorded", "", "", false};
    std::unordered_map<std::int64_t, FrameLabel> m_labels;
    std::unordered_map<std::string, std::int32_t> m_children;
};

}  // namespace

StackTree buildStackTree(const BufferFilter::Sources& sources, const BufferFilter& filter,
                         const StackQuestion& question, const Cancel& cancel) {
    const BufferStore& store = *sources.store;
    std::vector<bool> isCounted(store.rowCount());
    for (Row row = 0; row < store.rowCount(); ++row) {
        if ((row & 0xfffffU) == 0 && cancel.isRequested()) return {};
        isCounted[row] = store.countsAsLive[row] && filter.fits(row);
    }
    const std::int64_t atNs =
        question.metric == StackMetric::Peak ? peakOf(store, isCounted) : question.timeNs;
    std::unordered_map<std::int32_t, Amount> byStack;
    for (Row row = 0; row < store.rowCount(); ++row) {
        if (!isCounted[row] || !counts(store, row, question, atNs)) continue;
        Amount& amount = byStack[store.allocStack[row]];
        amount.bytes = model::addClamped(amount.bytes, store.sizeBytes[row]);
        ++amount.count;
    }
    TreeBuilder builder(*sources.stacks, question);
    std::vector<std::pair<std::int32_t, Amount>> ordered(byStack.begin(), byStack.end());
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [stack, amount] : ordered) {
        if (cancel.isRequested()) return {};
        builder.add({stack}, amount);
    }
    StackTree tree = builder.take();
    tree.atNs = atNs;
    return tree;
}

std::int32_t nodeOfStack(const StackTree& tree, model::StackId stack) {
    std::int32_t found = -1;
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        const StackTree::Node& node = tree.nodes[i];
        if (node.stack != stack) continue;
        if (found < 0 || node.depth > tree.nodes[static_cast<std::size_t>(found)].depth)
            found = static_cast<std::int32_t>(i);
    }
    return found;
}

}  // namespace vramscope::gui
