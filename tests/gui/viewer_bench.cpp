// SPDX-License-Identifier: Apache-2.0
// What the viewer takes with a large capture: viewer_bench [BUFFERS] [FILE]. Writes the capture if FILE is
// not there, and fails when something takes more than three times what docs/viewer.md promises. Build it with
// optimisation. Times are the processor's, of the window's thread or of all threads together: the time on the
// wall says how busy the machine is.
#include <QScrollBar>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gui/views/address_map_page.h"
#include "gui/views/buffers_page.h"
#include "gui/views/stacks_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/bench/large_capture.h"
#include "tests/gui/gui_environment.h"

namespace {

using namespace vramscope;

double processorMs(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The longest work of the window's thread between two turns of the event loop.
class Heartbeat : public QObject {
public:
    Heartbeat() {
        connect(&m_timer, &QTimer::timeout, this, [this] { beat(); });
        m_timer.start(1);
    }
    void beat() {
        const double nowMs = processorMs(CLOCK_THREAD_CPUTIME_ID);
        m_longestMs = std::max(m_longestMs, nowMs - m_lastMs);
        m_lastMs = nowMs;
    }
    double takeLongestMs() {
        beat();
        return std::exchange(m_longestMs, 0.0);
    }

private:
    QTimer m_timer;
    double m_lastMs = processorMs(CLOCK_THREAD_CPUTIME_ID);
    double m_longestMs = 0;
};

double residentMiB(const char* what) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with(what)) return std::stod(line.substr(line.find(':') + 1)) / 1024;
    }
    return 0;
}

class Report {
public:
    void add(const char* what, double value, double limit, const char* unit) {
        const bool isFine = value <= 3 * limit;
        m_isFine = m_isFine && isFine;
        std::printf("%-52s %9.1f %-4s promised %7.0f %s\n", what, value, unit, limit,
                    value <= limit ? ""
                    : isFine       ? "(above)"
                                   : "TOO MUCH");
        std::fflush(stdout);
    }
    bool isFine() const { return m_isFine; }

private:
    bool m_isFine = true;
};

double p95(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() * 95 / 100];
}

template <typename Act>
double millisecondsOf(Act act, clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    const double from = processorMs(clock);
    act();
    return processorMs(clock) - from;
}

void dropFromCache(const std::string& file) {
    // Best effort: without it "cold" means warm.
    const std::string command =
        "dd of='" + file + "' oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null";
    if (std::system(command.c_str()) != 0) std::puts("the file could not be dropped from the page cache");
}

void measureTimeline(gui::MainWindow& window, Report& report) {
    gui::TimelineView& view = window.timeline().view();
    view.setParent(nullptr);
    view.resize(1920, 400);
    view.show();
    tests::waitIdle(window);
    std::vector<double> pans;
    std::vector<double> zooms;
    view.showAll();
    for (int i = 0; i < 60; ++i) {
        const double factor = i < 30 ? 0.7 : 1 / 0.7;
        zooms.push_back(millisecondsOf([&] {
            view.zoomAtCursor(factor);
            view.repaint();
        }));
        pans.push_back(millisecondsOf([&] {
            view.pan(i % 2 ? 37 : -53);
            view.repaint();
        }));
    }
    report.add("zoom of the timeline at 1920x400, p95", p95(zooms), 8, "ms");
    report.add("pan of the timeline at 1920x400, p95", p95(pans), 8, "ms");
    report.add("tool tip under the mouse", millisecondsOf([&] {
                   (void)view.readoutAt({900, 150});
               }),
               5, "ms");
}

void measureTable(gui::MainWindow& window, Heartbeat& heartbeat, Report& report) {
    gui::BufferTableModel& model = window.buffers().model();
    QTableView& table = window.buffers().table();
    report.add("table of buffers shown", millisecondsOf([&] {
                   window.workspace().showPage(gui::Page::Buffers);
                   table.repaint();
               }),
               100, "ms");
    tests::waitIdle(window);
    std::vector<double> scrolls;
    for (int i = 0; i < 100; ++i) {
        scrolls.push_back(millisecondsOf([&] {
            table.verticalScrollBar()->setValue(i * 34567 %
                                                std::max(table.verticalScrollBar()->maximum(), 1));
            table.viewport()->repaint();
        }));
    }
    report.add("scroll of the table, p95", p95(scrolls), 8, "ms");
    const auto firstRows = [&](auto act) {
        heartbeat.takeLongestMs();
        bool isShown = false;
        const auto connection =
            QObject::connect(&model, &gui::BufferTableModel::orderChanged, [&] { isShown = true; });
        const double took = millisecondsOf(
            [&] {
                act();
                tests::waitUntil([&] { return isShown; });
            },
            CLOCK_PROCESS_CPUTIME_ID);
        QObject::disconnect(connection);
        return took;
    };
    report.add("sort by lifetime, first page", firstRows([&] {
                   model.sort(static_cast<int>(gui::BufferColumn::Lifetime), Qt::AscendingOrder);
               }),
               150, "ms");
    report.add("the same, complete",
               millisecondsOf([&] { tests::waitIdle(window); }, CLOCK_PROCESS_CPUTIME_ID), 1000, "ms");
    report.add("filter by size and stack, first page", firstRows([&] {
                   window.workspace().selection().change(
                       [](gui::Selection& s) { s.filter = QStringLiteral("size>64K stack~layer_42"); });
               }),
               150, "ms");
    tests::waitIdle(window);
    report.add("longest block of the window while sorting, filtering", heartbeat.takeLongestMs(), 50, "ms");
}

/// A buffer is chosen: the inspector looks for its neighbours among all.
void measureChoice(gui::MainWindow& window, Heartbeat& heartbeat, Report& report) {
    heartbeat.takeLongestMs();
    const auto& store = *window.workspace().sources().store;
    for (int i = 1; i <= 5; ++i) {
        const model::BufferId id{store.idOf(store.bufferCount() / 7 * static_cast<gui::Row>(i))};
        window.workspace().selection().change([&](gui::Selection& s) { s.buffer = id; });
        tests::waitIdle(window);
    }
    report.add("longest block of the window while choosing buffers", heartbeat.takeLongestMs(), 50, "ms");
}

/// The cursor goes through the run while the address map is looked at.
void measureAddressMap(gui::MainWindow& window, Heartbeat& heartbeat, Report& report) {
    gui::AddressMapPage& page = window.addressMap();
    const std::int64_t endNs = window.workspace().session().endNs();
    const auto scrub = [&](std::int64_t timeNs) {
        const gui::AddressMap* before = page.map().get();
        return millisecondsOf(
            [&] {
                window.workspace().selection().change([&](gui::Selection& s) {
                    s.page = gui::Page::AddressMap;
                    s.timeNs = timeNs;
                });
                tests::waitUntil([&] { return page.map().get() != before && !page.isBusy(); });
                page.view().repaint();
            },
            CLOCK_PROCESS_CPUTIME_ID);
    };
    report.add("address map shown, all threads together", scrub(endNs / 2), 1000, "ms");
    tests::waitIdle(window);
    heartbeat.takeLongestMs();
    std::vector<double> scrubs;
    for (int i = 0; i < 20; ++i)
        scrubs.push_back(scrub(endNs / 100 * (15 + 4 * i)));
    report.add("time scrub of the address map, p95", p95(scrubs), 33, "ms");
    std::nth_element(scrubs.begin(), scrubs.begin() + 10, scrubs.end());
    report.add("the same, half of them below", scrubs[10], 33, "ms");
    report.add("longest block of the window while scrubbing", heartbeat.takeLongestMs(), 50, "ms");
}

void measureFlameGraph(gui::MainWindow& window, Heartbeat& heartbeat, Report& report) {
    heartbeat.takeLongestMs();
    window.workspace().showPage(gui::Page::Stacks);
    tests::waitIdle(window);
    gui::FlameView& flame = window.stacks().flame();
    std::vector<double> repaints;
    std::vector<double> zooms;
    for (int i = 0; i < 40; ++i) {
        repaints.push_back(millisecondsOf([&] { flame.repaint(); }));
        zooms.push_back(millisecondsOf([&] {
            flame.zoomTo(i % 2 ? 0 : 1);
            flame.repaint();
        }));
    }
    report.add("flame graph painted, p95", p95(repaints), 16, "ms");
    report.add("flame graph zoomed, p95", p95(zooms), 16, "ms");
    report.add("longest block of the window with the flame graph", heartbeat.takeLongestMs(), 50, "ms");
}

}  // namespace

int main(int argc, char** argv) {
    const tests::GuiEnvironment environment(argc, argv);
    const std::int64_t buffers = argc > 1 ? std::atoll(argv[1]) : 5'000'000;
    const std::string file = argc > 2 ? argv[2] : "viewer_bench.vramscope";
    if (!std::filesystem::exists(file)) {
        std::printf("writing %s, %lld buffers\n", file.c_str(), static_cast<long long>(buffers));
        bench::writeLargeCapture(file, buffers);
    }
    dropFromCache(file);
    Report report;
    gui::MainWindow window(nullptr);
    window.resize(1280, 800);
    window.show();
    tests::waitIdle(window);
    Heartbeat heartbeat;
    const double fromMs = processorMs(CLOCK_PROCESS_CPUTIME_ID);
    const auto sinceMs = [fromMs] { return processorMs(CLOCK_PROCESS_CPUTIME_ID) - fromMs; };
    const double clockFromMs = processorMs(CLOCK_MONOTONIC);
    window.openFile(QString::fromStdString(file));
    tests::waitUntil([&] { return !window.timeline().model().lanes().empty(); }, 120'000);
    window.timeline().view().repaint();
    report.add("timeline painted after opening", sinceMs(), 1000, "ms");
    const auto wall = [&] {
        std::printf("%-52s %9.1f ms   on the wall\n", "the same", processorMs(CLOCK_MONOTONIC) - clockFromMs);
    };
    wall();
    tests::waitUntil([&] { return window.workspace().hasBuffers(); }, 120'000);
    report.add("all buffers there, all threads together", sinceMs(), 2500, "ms");
    wall();
    tests::waitUntil([&] { return window.isIdle(); }, 120'000);
    report.add("every view computed and sorted, all threads", sinceMs(), 5000, "ms");
    wall();
    report.add("longest block of the window while opening", heartbeat.takeLongestMs(), 50, "ms");
    measureTable(window, heartbeat, report);
    measureChoice(window, heartbeat, report);
    window.workspace().selection().change([](gui::Selection& s) { s.filter.clear(); });
    tests::waitIdle(window);
    report.add("resident memory", residentMiB("VmRSS"), 600, "MiB");
    report.add("resident memory at its highest", residentMiB("VmHWM"), 600, "MiB");
    measureFlameGraph(window, heartbeat, report);
    measureAddressMap(window, heartbeat, report);
    report.add("resident memory at its highest, with those", residentMiB("VmHWM"), 600, "MiB");
    measureTimeline(window, report);
    return report.isFine() ? 0 : 1;
}
