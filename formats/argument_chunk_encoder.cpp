// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "formats/argument_chunk.h"

namespace vramscope::formats {

namespace {

constexpr std::byte kVersion{1};

}  // namespace

std::uint32_t ArgumentChunkEncoder::shapeOf(std::span<const LaunchArgument> arguments) {
    if (m_shapeOf.empty()) m_shapes.reset(kMaxArgumentChunkSets);
    std::uint64_t hash = arguments.size();
    for (const LaunchArgument& argument : arguments)
        hash = addToHash(hash, argument.parameterOffset);
    const std::uint32_t shape = m_shapes.find(finishHash(hash), [&](std::uint32_t candidate) {
        if (m_placeCounts[candidate] != arguments.size()) return false;
        const std::uint64_t* place = &m_places[m_firstPlace[candidate]];
        for (const LaunchArgument& argument : arguments) {
            if (argument.parameterOffset != *place++) return false;
        }
        return true;
    });
    if (shape == m_placeCounts.size()) {
        m_placeCounts.push_back(arguments.size());
        m_firstPlace.push_back(m_places.size());
        for (const LaunchArgument& argument : arguments)
            m_places.push_back(argument.parameterOffset);
    }
    return shape;
}

void ArgumentChunkEncoder::add(std::span<const LaunchArgument> arguments) {
    assert(!arguments.empty() && arguments.size() <= kMaxLaunchArguments);
    m_shapeOf.push_back(shapeOf(arguments));
    for (const LaunchArgument& argument : arguments) {
        m_buffers.push_back(static_cast<std::uint64_t>(argument.bufferId));
        m_offsets.push_back(packOffset(argument.offset));
    }
}

std::span<const std::byte> ArgumentChunkEncoder::encode() {
    m_steps.clear();
    for (std::size_t shape = 0; shape < m_placeCounts.size(); ++shape) {
        std::uint64_t previous = 0;
        for (std::size_t i = 0; i < m_placeCounts[shape]; ++i) {
            const std::uint64_t place = m_places[m_firstPlace[shape] + i];
            m_steps.push_back(place - previous);
            previous = place;
        }
    }
    m_out.clear();
    m_out.push_back(kVersion);
    putVarint(m_out, m_shapeOf.size());
    putVarint(m_out, m_placeCounts.size());
    putVarint(m_out, m_steps.size());
    putVarint(m_out, m_buffers.size());
    m_packer.putPlain(m_placeCounts, m_out);
    m_packer.putPlain(m_steps, m_out);
    m_packer.putCounter(m_shapeOf, m_out);
    m_packer.putSmaller(m_buffers, m_out);
    m_packer.putSmaller(m_offsets, m_out);
    return m_out;
}

void ArgumentChunkEncoder::clear() {
    m_firstPlace.clear();
    for (ColumnValues* column : {&m_placeCounts, &m_places, &m_shapeOf, &m_buffers, &m_offsets})
        column->clear();
}

}  // namespace vramscope::formats
