// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/block_runner.h"

#include <memory>
#include <ucontext.h>
#include <vector>

#include "samples/sim/launch_watch.h"

namespace vramscope::sim {
namespace {

constexpr size_t kStackBytes = 128 << 10;

/// A stack that runs device threads, one after the other, until one of them waits at a barrier.
struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack{new char[kStackBytes]};
    Index3 thread;  ///< of the device thread that waits on it
    bool waiting = false;
};

class BlockRunner {
public:
    BlockRunner(const ModuleImage& image, const KernelImage& kernel, const Grid& grid, void** parameters)
        : m_thread(*image.thread),
          m_kernel(kernel),
          m_grid(grid),
          m_parameters(parameters),
          m_shared(grid.sharedBytes) {}

    void runBlock(Index3 block) {
        m_thread = {{},
                    block,
                    m_grid.blockSize,
                    m_grid.gridSize,
                    m_shared.data(),
                    &BlockRunner::barrier,
                    runningReport()};
        m_next = 0;
        s_current = this;
        // Each pass takes every thread to its next barrier or to its end.
        resumeWith(freeFiber());
        while (resumeWaiting()) {
        }
        s_current = nullptr;
    }

private:
    static void barrier() {
        BlockRunner& self = *s_current;
        Fiber& fiber = *self.m_running;
        fiber.waiting = true;
        fiber.thread = self.m_thread.threadIndex;
        swapcontext(&fiber.context, &self.m_scheduler);
        self.m_thread.threadIndex = fiber.thread;
    }

    static void fiberMain() {
        BlockRunner& self = *s_current;
        const Index3 size = self.m_grid.blockSize;
        const size_t count = size_t(size.x) * size.y * size.z;
        while (self.m_next < count) {
            const auto index = static_cast<unsigned int>(self.m_next++);
            self.m_thread.threadIndex = {index % size.x, index / size.x % size.y, index / size.x / size.y};
            self.m_kernel.run(self.m_parameters);
        }
    }

    Fiber& freeFiber() {
        for (auto& fiber : m_fibers) {
            if (!fiber->waiting) return *fiber;
        }
        return *m_fibers.emplace_back(std::make_unique<Fiber>());
    }

    /// Starts threads that have not run yet; a fiber that gets stuck at a barrier leaves the rest to a new
    /// one.
    void resumeWith(Fiber& first) {
        const size_t count = size_t(m_grid.blockSize.x) * m_grid.blockSize.y * m_grid.blockSize.z;
        for (Fiber* fiber = &first; m_next < count; fiber = &freeFiber()) {
            getcontext(&fiber->context);
            fiber->context.uc_stack.ss_sp = fiber->stack.get();
            fiber->context.uc_stack.ss_size = kStackBytes;
            fiber->context.uc_link = &m_scheduler;
            makecontext(&fiber->context, &BlockRunner::fiberMain, 0);
            m_running = fiber;
            swapcontext(&m_scheduler, &fiber->context);
        }
    }

    bool resumeWaiting() {
        std::vector<Fiber*> waiting;
        for (auto& fiber : m_fibers) {
            if (fiber->waiting) waiting.push_back(fiber.get());
        }
        for (Fiber* fiber : waiting) {
            fiber->waiting = false;
            m_running = fiber;
            swapcontext(&m_scheduler, &fiber->context);
        }
        return !waiting.empty();
    }

    static BlockRunner* s_current;

    ThreadState& m_thread;
    const KernelImage& m_kernel;
    const Grid& m_grid;
    void** m_parameters;
    std::vector<char> m_shared;
    std::vector<std::unique_ptr<Fiber>> m_fibers;
    ucontext_t m_scheduler{};
    Fiber* m_running = nullptr;
    size_t m_next = 0;
};

BlockRunner* BlockRunner::s_current = nullptr;

}  // namespace

void runGrid(const ModuleImage& image, const KernelImage& kernel, const Grid& grid, void** parameters) {
    BlockRunner runner(image, kernel, grid, parameters);
    for (unsigned int z = 0; z < grid.gridSize.z; ++z) {
        for (unsigned int y = 0; y < grid.gridSize.y; ++y) {
            for (unsigned int x = 0; x < grid.gridSize.x; ++x)
                runner.runBlock({x, y, z});
        }
    }
}

}  // namespace vramscope::sim
