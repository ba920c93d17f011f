// SPDX-License-Identifier: Apache-2.0
#include "gui/models/sandwich.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/model/amounts.h"

namespace vramscope::gui {
namespace {

using Node = StackTree::Node;

const Node& at(const StackTree& tree, std::int32_t number) {
    return tree.nodes[static_cast<std::size_t>(number)];
}

bool isOf(const Node& node, const Node& function) {
    return node.function == function.function && node.library == function.library;
}

/// The same function is nowhere above it.
bool isOutermost(const StackTree& tree, std::int32_t number) {
    const Node& node = at(tree, number);
    for (std::int32_t above = node.parent; above > 0; above = at(tree, above).parent) {
        if (isOf(at(tree, above), node)) return false;
    }
    return true;
}

/// Merges paths of functions into one tree.
class Merger {
public:
    explicit Merger(const Node& root) { m_tree.nodes.push_back(bare(root, -1, 0)); }

    void addTo(std::int32_t number, const Node& from, std::int64_t selfBytes) {
        Node& node = m_tree.nodes[static_cast<std::size_t>(number)];
        node.bytes = model::addClamped(node.bytes, from.bytes);
        node.count += from.count;
        node.selfBytes = model::addClamped(node.selfBytes, selfBytes);
    }

    std::int32_t childOf(std::int32_t parent, const Node& function) {
        const auto [found, isNew] = m_children.try_emplace({parent, function.function, function.library},
                                                           static_cast<std::int32_t>(m_tree.nodes.size()));
        if (isNew) {
            const std::int32_t depth = at(m_tree, parent).depth + 1;
            m_tree.nodes.push_back(bare(function, parent, depth));
            m_tree.nodes[static_cast<std::size_t>(parent)].children.push_back(found->second);
        }
        return found->second;
    }

    StackTree take(const StackTree& from) {
        m_tree.atNs = from.atNs;
        m_tree.libraries = from.libraries;
        for (Node& node : m_tree.nodes) {
            std::stable_sort(
                node.children.begin(), node.children.end(),
                [this](std::int32_t a, std::int32_t b) { return at(m_tree, a).bytes > at(m_tree, b).bytes; });
        }
        return std::move(m_tree);
    }

private:
    static Node bare(const Node& from, std::int32_t parent, std::int32_t depth) {
        Node node;
        static_cast<FunctionBytes&>(node) = {from.function, from.library, from.place, 0, 0, 0, from.stack};
        node.libraryRank = from.libraryRank;
        node.parent = parent;
        node.depth = depth;
        return node;
    }

    StackTree m_tree;
    std::map<std::tuple<std::int32_t, std::string, std::string>, std::int32_t> m_children;
};

/// Adds a node's children, and theirs, below `into`.
void addBelow(const StackTree& tree, std::int32_t number, Merger& merger, std::int32_t into) {
    std::vector<std::pair<std::int32_t, std::int32_t>> open{{number, into}};
    while (!open.empty()) {
        const auto [from, to] = open.back();
        open.pop_back();
        for (const std::int32_t child : at(tree, from).children) {
            const std::int32_t copy = merger.childOf(to, at(tree, child));
            merger.addTo(copy, at(tree, child), at(tree, child).selfBytes);
            open.emplace_back(child, copy);
        }
    }
}

}  // namespace

std::vector<FunctionTotal> functionTotals(const StackTree& topDown) {
    std::map<std::pair<std::string, std::string>, FunctionTotal> totals;
    for (std::size_t i = 1; i < topDown.nodes.size(); ++i) {
        const Node& node = topDown.nodes[i];
        FunctionTotal& total = totals[{node.function, node.library}];
        if (total.function.empty()) {
            total.function = node.function;
            total.library = node.library;
            total.place = node.place;
            total.stack = node.stack;
        }
        total.selfBytes = model::addClamped(total.selfBytes, node.selfBytes);
        if (!isOutermost(topDown, static_cast<std::int32_t>(i))) continue;
        total.bytes = model::addClamped(total.bytes, node.bytes);
        total.count += node.count;
    }
    std::vector<FunctionTotal> result;
    result.reserve(totals.size());
    for (auto& [key, total] : totals)
        result.push_back(std::move(total));
    std::stable_sort(result.begin(), result.end(), [](const FunctionTotal& a, const FunctionTotal& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.selfBytes > b.selfBytes;
    });
    return result;
}

Sandwich sandwichOf(const StackTree& topDown, const std::string& function, const std::string& library) {
    Node wanted;
    wanted.function = function;
    wanted.library = library;
    std::vector<std::int32_t> calls;
    for (std::size_t i = 1; i < topDown.nodes.size(); ++i) {
        const auto number = static_cast<std::int32_t>(i);
        if (isOf(topDown.nodes[i], wanted) && isOutermost(topDown, number)) calls.push_back(number);
    }
    if (calls.empty()) return {};
    Merger callers(at(topDown, calls.front()));
    Merger callees(at(topDown, calls.front()));
    for (const std::int32_t call : calls) {
        const Node& node = at(topDown, call);
        callers.addTo(0, node, 0);
        std::int32_t into = 0;
        // What a caller has on this path is what the function has there.
        for (std::int32_t above = node.parent; above > 0; above = at(topDown, above).parent) {
            into = callers.childOf(into, at(topDown, above));
            callers.addTo(into, node, at(topDown, above).parent <= 0 ? node.bytes : 0);
        }
        callees.addTo(0, node, node.selfBytes);
        addBelow(topDown, call, callees, 0);
    }
    return {callers.take(topDown), callees.take(topDown)};
}

}  // namespace vramscope::gui
