// SPDX-License-Identifier: Apache-2.0
// A job that says whose memory is whose, in the way that its argument names. Sizes tell its buffers apart.
#include <chrono>
#include <condition_variable>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vramscope/annotate.h>

#include "samples/programs/sample.h"
#include "tests/integration/tasks/marks.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kUnit = 1 << 16;

const void* pointer(CUdeviceptr address) {
    return reinterpret_cast<const void*>(address);
}

/// A buffer of `units` units; the tests know it by that.
CUdeviceptr buffer(std::size_t units) {
    return allocate(units * kUnit);
}

/// Lets threads take turns.
class Turns {
public:
    void await(int turn) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_turn >= turn; });
    }
    void next() {
        const std::lock_guard lock(m_mutex);
        ++m_turn;
        m_changed.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_turn = 0;
};

void nested() {
    vramscope_task_push("outer");
    const Context context;
    buffer(1);
    {
        const vramscope::TaskScope inner("inner");
        buffer(2);
    }
    buffer(3);
    vramscope_task_pop();
    buffer(4);
    vramscope_task_pop();  // one too many
    buffer(5);
}

/// A thread without a task beside one task, beside two, beside none.
void bystander() {
    const Context context;
    Turns turns;
    std::thread left([&] {
        context.use();
        const vramscope::TaskScope task("left");
        buffer(1);
        turns.next();
        turns.await(4);
        buffer(5);
        turns.next();
    });
    turns.await(1);
    buffer(2);
    std::thread right([&] {
        context.use();
        {
            const vramscope::TaskScope task("right");
            buffer(3);
            turns.next();
            turns.await(3);
        }
        turns.next();
    });
    turns.await(2);
    buffer(4);
    turns.next();
    right.join();
    left.join();
    buffer(6);
}

void pieces() {
    const Context context;
    const vramscope::TaskScope task("allocator");
    const CUdeviceptr memory = buffer(8);
    vramscope_heap(pointer(memory), 0, "arena");
    vramscope_task_push("user");
    vramscope_block(pointer(memory + kUnit), kUnit, "first");
    vramscope_block(pointer(memory + 3 * kUnit), kUnit, nullptr);
    vramscope_block_end(pointer(memory + kUnit));
    vramscope_task_pop();
    vramscope_step(nullptr);
    vramscope_lend(pointer(memory), 2 * kUnit, "user", VRAMSCOPE_READ);
    vramscope_lend_end(pointer(memory), 2 * kUnit, "user");
    vramscope_step("second");
    vramscope_give(pointer(memory + 7 * kUnit), 100 * kUnit, "heir");
    vramscope_heap_end(pointer(memory));
    vramscope_give(pointer(0x1000), 16, "nobody");
    markFromC(pointer(memory));
}

/// For rules: two threads, two streams, two contexts, one buffer each.
void unmarked() {
    const Context context;
    CUstream streams[2] = {};
    for (CUstream& stream : streams)
        CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (std::size_t i = 0; i < 2; ++i) {
        std::thread([&] {
            context.use();
            CUdeviceptr address = 0;
            CU(cuMemAllocAsync(&address, (i + 1) * kUnit, streams[i]));
            CU(cuStreamSynchronize(streams[i]));
        }).join();
    }
    CUcontext other = nullptr;
#if CUDA_VERSION >= 13000
    CU(cuCtxCreate(&other, nullptr, 0, context.device()));
#else
    CU(cuCtxCreate(&other, 0, context.device()));
#endif
    buffer(3);
    context.use();
    buffer(4);
}

/// annotate.h beside dlfcn.h and a use of it in one source.
bool canLoadToo() {
    return ::dlsym(RTLD_DEFAULT, "main") != nullptr || ::dlopen(nullptr, RTLD_LAZY) != nullptr;
}

/// Whether it is heard, for the job that nobody records; and marks that must do nothing then.
void heard() {
    vramscope_task_push("before");
    std::printf("heard %d\n", marksAreHeard());
    vramscope_mark(1000, nullptr, 0, nullptr);
    if (!canLoadToo()) std::exit(1);
    vramscope_task_pop();
}

/// Goes on with open tasks after its recorder is gone, and says by a file that it ended.
void outlivesItsRecorder() {
    const Context context;
    const pid_t recorder = ::getppid();
    vramscope_task_push("outer");
    const CUdeviceptr memory = buffer(1);
    vramscope_heap(pointer(memory), 0, nullptr);
    vramscope_block(pointer(memory), 4096, "left open");
    vramscope_task_push("inner");
    vramscope_step("first");
    std::printf("ready\n");
    std::fflush(stdout);
    while (::getppid() == recorder)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    buffer(2);
    vramscope_task_pop();
    buffer(3);
    vramscope_block_end(pointer(memory));
    vramscope_step("second");
    vramscope_task_pop();
    buffer(4);
    std::fclose(std::fopen("ended", "w"));
}

/// A heap over two mappings of a reserved range, and requests that it cannot serve.
void heaps() {
    const Context context;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
    CUdeviceptr range = 0;
    CU(cuMemAddressReserve(&range, 8 * kMiB, 0, 0, 0));
    for (std::size_t i = 0; i < 2; ++i) {
        CUmemGenericAllocationHandle handle = 0;
        CU(cuMemCreate(&handle, 2 * kMiB, &properties, 0));
        CU(cuMemMap(range + i * 2 * kMiB, 2 * kMiB, 0, handle, 0));
        CU(cuMemRelease(handle));
    }
    vramscope_heap(pointer(range), 4 * kMiB, "reserved");
    vramscope_block(pointer(range + 3 * kMiB), kUnit, "in the second mapping");
    for (int i = 0; i < 3; ++i)
        vramscope_heap_failed(pointer(range), 5 * kMiB);
    vramscope_heap_failed(pointer(range), kMiB);
    const CUdeviceptr memory = buffer(8);
    vramscope_heap(pointer(memory), 9 * kUnit, "cut");
}

/// Two devices that may use each other's memory, one way for a while and one way until the end.
void peers() {
    const Context context;
    CUdevice second = 0;
    CUcontext other = nullptr;
    CU(cuDeviceGet(&second, 1));
    CU(cuDevicePrimaryCtxRetain(&other, second));
    CU(cuCtxEnablePeerAccess(other, 0));
    CU_UNREAD(cuCtxEnablePeerAccess(nullptr, 0));
    CU(cuCtxDisablePeerAccess(other));
    CU(cuCtxSetCurrent(other));
    CU(cuCtxEnablePeerAccess(context.handle(), 0));
    context.use();
}

void endsWith(int code) {
    const Context context;
    buffer(1);
    std::exit(code);
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, std::function<void()>> ways{{"nested", nested},
                                                            {"bystander", bystander},
                                                            {"pieces", pieces},
                                                            {"unmarked", unmarked},
                                                            {"heard", heard},
                                                            {"heaps", heaps},
                                                            {"peers", peers},
                                                            {"outlives", outlivesItsRecorder},
                                                            {"ends-with-0", [] { endsWith(0); }},
                                                            {"ends-with-3", [] { endsWith(3); }},
                                                            {"ends-with-4", [] { endsWith(4); }}};
    const auto way = argc > 1 ? ways.find(argv[1]) : ways.end();
    if (way == ways.end()) return 2;
    way->second();
    return 0;
}
