// SPDX-License-Identifier: Apache-2.0
#include "gui/session/store_rows.h"

#include <algorithm>
#include <numeric>

namespace vramscope::gui {

void StoreRows::resize(BufferStore& store, std::size_t count) {
    store.allocNs.resize(count);
    store.freeNs.resize(count);
    store.sizeBytes.resize(count);
    store.address.resize(count);
    store.allocStack.resize(count);
    store.freeStack.resize(count);
    store.generation.resize(count);
    store.traitsOf.resize(count, kUnread);
    if (!store.m_ids.empty()) store.m_ids.resize(count);
}

void StoreRows::removeUnread(BufferStore& store) {
    const auto count = static_cast<Row>(store.traitsOf.size());
    const auto firstUnread = std::find(store.traitsOf.begin(), store.traitsOf.end(), kUnread);
    auto kept = static_cast<Row>(firstUnread - store.traitsOf.begin());
    store.m_bufferCount = kept;
    if (kept == count) return;
    if (store.m_ids.empty()) {
        store.m_ids.resize(count);
        std::iota(store.m_ids.begin(), store.m_ids.end(), store.m_firstId);
    }
    for (Row row = kept; row < count; ++row) {
        if (store.traitsOf[row] == kUnread) continue;
        const auto move = [&](auto& column) { column[kept] = column[row]; };
        move(store.allocNs), move(store.freeNs), move(store.address), move(store.allocStack);
        move(store.freeStack), move(store.generation), move(store.traitsOf), move(store.m_ids);
        store.sizeBytes.move(row, kept);
        ++kept;
    }
    resize(store, kept);
    store.m_bufferCount = kept;
}

void StoreRows::addHandles(BufferStore& store, const model::Capture& facts) {
    const std::uint8_t api = store.apis.numberOf("cuMemCreate");
    for (const model::VmmHandle& h : facts.vmmHandles) {
        if (h.deviceId.isNone() || h.createNs == model::kNever || h.endNs <= h.createNs) continue;
        BufferTraits traits;
        traits.process = static_cast<std::int32_t>(h.processId.value);
        traits.device = static_cast<std::int16_t>(std::min<std::int64_t>(h.deviceId.value, 32767));
        traits.kind = model::BufferKind::Vmm;
        traits.endKind = h.endNs == model::kNever ? model::EndKind::Live : model::EndKind::Freed;
        traits.api = api;
        traits.countsAsLive = 1;
        store.allocNs.push_back(h.createNs);
        store.freeNs.push_back(h.endNs);
        store.sizeBytes.push_back(h.sizeBytes);
        store.address.push_back(static_cast<std::uint64_t>(h.handle));
        store.allocStack.push_back(static_cast<std::int32_t>(h.createStackId.value));
        store.freeStack.push_back(BufferStore::kNone);
        store.generation.push_back(0);
        store.traitsOf.push_back(store.traits.numberOf(traits));
    }
}

}  // namespace vramscope::gui
