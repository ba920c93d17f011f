// SPDX-License-Identifier: Apache-2.0
#include "gui/models/device_spread.h"

#include <algorithm>

namespace vramscope::gui {
namespace {

constexpr std::int64_t kMostSteps = 4096;
constexpr std::size_t kNoDevice = static_cast<std::size_t>(-1);

/// The position of each device number among the wanted ones.
class Positions {
public:
    explicit Positions(const std::vector<model::DeviceId>& devices) : m_devices(devices) {}
    std::size_t of(std::int16_t device) const {
        const auto at = std::find_if(m_devices.begin(), m_devices.end(),
                                     [&](model::DeviceId id) { return id.value == device; });
        return at == m_devices.end() ? kNoDevice : static_cast<std::size_t>(at - m_devices.begin());
    }

private:
    const std::vector<model::DeviceId>& m_devices;
};

/// Walks through all allocations and frees; calls `changed(position, liveBytes, timeNs)`.
template <typename Changed>
void walk(const BufferFilter::Sources& sources, const BufferFilter& filter,
          const std::vector<model::DeviceId>& devices, const Cancel& cancel, Changed changed) {
    const BufferStore& s = *sources.store;
    const Positions positions(devices);
    std::vector<std::int64_t> live(devices.size());
    std::size_t count = 0;
    for (const std::uint32_t event : s.events) {
        if ((++count & 0xfffffU) == 0 && cancel.isRequested()) return;
        const Row row = event >> 1U;
        if (!s.countsAsLive[row] || s.freeNs[row] <= s.allocNs[row]) continue;
        const std::size_t position = positions.of(s.device[row]);
        if (position == kNoDevice || !filter.fits(row)) continue;
        live[position] += (event & 1U) ? -s.sizeBytes[row] : s.sizeBytes[row];
        changed(position, live[position], s.timeOfEvent(event));
    }
}

}  // namespace

std::vector<std::int64_t> devicePeaks(const BufferFilter::Sources& sources, const BufferFilter& filter,
                                      const std::vector<model::DeviceId>& devices, const Cancel& cancel) {
    std::vector<std::int64_t> peaks(devices.size());
    walk(sources, filter, devices, cancel, [&](std::size_t position, std::int64_t bytes, std::int64_t) {
        peaks[position] = std::max(peaks[position], bytes);
    });
    return peaks;
}

DeviceSpread::DeviceSpread(const BufferFilter::Sources& sources, const BufferFilter& filter,
                           const std::vector<model::DeviceId>& devices, std::int64_t endNs,
                           const Cancel& cancel)
    : m_stepNs(std::max<std::int64_t>(1, endNs / kMostSteps + 1)) {
    if (devices.empty()) return;
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(endNs, 0) / m_stepNs + 1);
    std::vector<std::int64_t> live(devices.size());
    std::vector<std::int64_t> most(devices.size());
    m_steps.reserve(count);
    const auto endStep = [&] {
        const auto [least, largest] = std::minmax_element(most.begin(), most.end());
        m_steps.push_back({*least, *largest});
        most = live;
    };
    walk(sources, filter, devices, cancel,
         [&](std::size_t position, std::int64_t bytes, std::int64_t timeNs) {
             const auto step = static_cast<std::size_t>(std::max<std::int64_t>(timeNs, 0) / m_stepNs);
             while (m_steps.size() < std::min(step, count))
                 endStep();
             live[position] = bytes;
             most[position] = std::max(most[position], bytes);
         });
    while (m_steps.size() < count)
        endStep();
}

DeviceSpread::Step DeviceSpread::at(std::int64_t timeNs) const {
    if (m_steps.empty()) return {};
    const auto last = static_cast<std::int64_t>(m_steps.size()) - 1;
    return m_steps[static_cast<std::size_t>(std::clamp<std::int64_t>(timeNs / m_stepNs, 0, last))];
}

}  // namespace vramscope::gui
