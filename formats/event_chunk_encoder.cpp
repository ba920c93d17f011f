// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "formats/event_chunk.h"
#include "formats/varint.h"

namespace vramscope::formats {

namespace {

constexpr std::byte kVersion{2};

bool allAreSame(const ColumnValues& values) {
    std::uint64_t differing = 0;
    for (const std::uint64_t value : values)
        differing |= value ^ values[0];
    return differing == 0;
}

}  // namespace

std::span<const std::byte> ChunkEncoder::encode(EventKind kind, std::span<const ColumnValues> columns,
                                                const ChunkNames& names) {
    const auto specs = eventColumns(kind);
    assert(columns.size() == specs.size() && !columns[0].empty() && columns[0].size() <= kMaxChunkEvents);
    findSites(specs, columns);
    m_out.clear();
    m_out.push_back(kVersion);
    putVarint(m_out, columns[0].size());
    putVarint(m_out, m_firstOf.size());
    const std::size_t nameCount = std::min(names.size(), kMaxChunkNames);
    putVarint(m_out, nameCount);
    for (std::size_t i = 0; i < nameCount; ++i) {
        const auto name = std::as_bytes(std::span(names[i])).first(std::min(names[i].size(), kMaxNameBytes));
        putVarint(m_out, name.size());
        m_out.insert(m_out.end(), name.begin(), name.end());
    }
    putVarint(m_out, columns.size());
    m_packer.putCounter(m_siteOf, m_out);
    for (std::size_t i = 0; i < columns.size(); ++i)
        putColumn(specs[i], columns[i], columns[0]);
    return m_out;
}

void ChunkEncoder::findSites(std::span<const ColumnSpec> specs, std::span<const ColumnValues> columns) {
    const std::size_t events = columns[0].size();
    std::vector<const ColumnValues*> varying;
    m_hashes.assign(events, 0);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (specs[i].coding != ColumnCoding::Site || allAreSame(columns[i])) continue;
        varying.push_back(&columns[i]);
        for (std::size_t row = 0; row < events; ++row)
            m_hashes[row] = addToHash(m_hashes[row], columns[i][row]);
    }
    m_sites.reset(events);
    m_firstOf.clear();
    m_siteOf.resize(events);
    for (std::size_t row = 0; row < events; ++row) {
        const std::uint32_t site = m_sites.find(finishHash(m_hashes[row]), [&](std::uint32_t candidate) {
            return std::ranges::all_of(varying, [&](const ColumnValues* column) {
                return (*column)[row] == (*column)[m_firstOf[candidate]];
            });
        });
        if (site == m_firstOf.size()) m_firstOf.push_back(static_cast<std::uint32_t>(row));
        m_siteOf[row] = site;
    }
}

void ChunkEncoder::putColumn(const ColumnSpec& spec, const ColumnValues& values,
                             const ColumnValues& enterNs) {
    switch (spec.coding) {
        case ColumnCoding::Time:
            return m_packer.putDifferences(values, m_out);
        case ColumnCoding::SinceEnter:
            return m_packer.putSince(values, enterNs, m_out);
        case ColumnCoding::Repeats:
            return m_packer.putSmaller(values, m_out);
        case ColumnCoding::Counter:
            return m_packer.putCounter(values, m_out);
        case ColumnCoding::Site:
            break;
    }
    m_siteValues.resize(m_firstOf.size());
    for (std::size_t site = 0; site < m_firstOf.size(); ++site)
        m_siteValues[site] = values[m_firstOf[site]];
    const std::size_t transform = m_out.size();
    m_packer.putSmaller(m_siteValues, m_out);
    m_out[transform] |= std::byte{kPerSite};
}

}  // namespace vramscope::formats
