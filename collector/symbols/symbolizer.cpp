// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/symbolizer.h"

#include <algorithm>

#include "collector/symbols/open_module.h"

namespace vramscope::symbols {

Symbolizer::Symbolizer(SymbolizerOptions options) : m_options(std::move(options)) {}
Symbolizer::~Symbolizer() = default;

Symbolizer::OpenModule& Symbolizer::open(const ModuleFile& file) {
    const auto found =
        std::ranges::find_if(m_modules, [&](const auto& module) { return module->file() == file; });
    if (found != m_modules.end()) {
        m_modules.splice(m_modules.begin(), m_modules, found);
        return *m_modules.front();
    }
    while (m_modules.size() >= std::max<std::size_t>(m_options.mostOpenModules, 1))
        m_modules.pop_back();
    m_modules.push_front(std::make_unique<OpenModule>(file, m_options));
    return *m_modules.front();
}

ResolvedFrame Symbolizer::resolve(const ModuleFile& file, std::uint64_t returnAddress) {
    if (returnAddress == 0) return {};
    OpenModule& module = open(file);
    const auto left = std::min<std::chrono::steady_clock::duration>(m_options.moduleBudget - module.spent,
                                                                    m_options.totalBudget - m_spent);
    if (left <= left.zero()) m_isOverBudget = true;
    const auto before = module.spent;
    ResolvedFrame frame = module.resolve(returnAddress - 1, std::chrono::steady_clock::now() + left);
    m_spent += module.spent - before;
    return frame;
}

}  // namespace vramscope::symbols
