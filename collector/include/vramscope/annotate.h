/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VRAMSCOPE_ANNOTATE_H
#define VRAMSCOPE_ANNOTATE_H

/* Tells vramscope whose memory is whose. For C and C++; nothing has to be linked.
 *
 *     vramscope_task_push("generator");
 *     cudaMalloc(&weights, bytes);                       the generator owns them
 *     vramscope_name(weights, 0, "gen.fc.weight");
 *     vramscope_lend(weights, 0, "discriminator", VRAMSCOPE_READ);
 *     vramscope_task_pop();
 *
 * In a program that vramscope does not record every call here is one load and one branch. Under `vramscope
 * run` the first call loads the library that the driver would load at cuInit, so what is said before CUDA is
 * used counts, too. The functions may be called from any thread, at any time, and never fail.
 *
 * A range is given as its first byte and its length; a length of 0 is the rest of the buffer. An address of
 * the driver API is cast: (const void*)address.
 *
 * On a C library before glibc 2.34 the program needs libdl among its libraries, as any that links the CUDA
 * runtime has; without it nothing is said. A program that runs with raised privileges says nothing either. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* C, which has no nullptr, and weak, so that a program has one of it:
 * NOLINTBEGIN(modernize-use-nullptr,misc-definitions-in-headers) */

#ifdef __cplusplus
extern "C" {
#endif

/* What is lent. */
#define VRAMSCOPE_READ 1
#define VRAMSCOPE_WRITE 2

/* What the library offers. Functions come to the end only; structBytes tells how many there are. Text may go
 * away when a call returns. */
struct vramscope_annotations {
    uint32_t structBytes;
    uint32_t version;
    void (*taskPush)(const char* name);
    void (*taskPop)(void);
    /* kind: VRAMSCOPE_MARK_..., text may be null. */
    void (*mark)(uint32_t kind, const void* address, size_t bytes, const char* text);
    /* isBegin 1: until 0, the caller's task is that of threads whose name begins with threadNames. */
    void (*delegate)(int isBegin, const char* threadNames);
};
enum {
    VRAMSCOPE_MARK_GIVE,
    VRAMSCOPE_MARK_LEND_READ,
    VRAMSCOPE_MARK_LEND_WRITE,
    VRAMSCOPE_MARK_LEND_END,
    VRAMSCOPE_MARK_NAME,
    VRAMSCOPE_MARK_HEAP,
    VRAMSCOPE_MARK_HEAP_END,
    VRAMSCOPE_MARK_BLOCK,
    VRAMSCOPE_MARK_BLOCK_END,
    VRAMSCOPE_MARK_STEP,
    VRAMSCOPE_MARK_HEAP_FAILED
};

/* dlopen and dlsym, under names of our own: dlfcn.h declares them in one way for C and in another for C++.
 * Weak, so that a program without them links. */
extern void* vramscope_dlopen(const char* file, int mode) __asm__("dlopen") __attribute__((weak));
extern void* vramscope_dlsym(void* handle, const char* name) __asm__("dlsym") __attribute__((weak));

/* One a linked file: 1 before the library was looked for, null where there is none to find. */
__attribute__((weak, visibility("hidden"))) uintptr_t vramscope_annotations_found = 1;

__attribute__((noinline, unused)) static const struct vramscope_annotations* vramscope_find_annotations(
    void) {
    typedef const struct vramscope_annotations* (*Entry)(uint32_t version);
    const int lazy = 1; /* RTLD_LAZY */
    const char* library = getenv("VRAMSCOPE_LIBRARY");
    const struct vramscope_annotations* found = 0;
    /* The environment of a program with raised privileges is somebody else's. */
    const int canLoad = vramscope_dlopen != 0 && vramscope_dlsym != 0;
    if (canLoad && library != 0 && library[0] == '/' && getauxval(AT_SECURE) == 0) {
        void* handle = vramscope_dlopen(library, lazy);
        Entry entry = 0;
        if (handle != 0) *(void**)(void*)&entry = vramscope_dlsym(handle, "vramscopeAnnotations");
        if (entry != 0) found = entry(1);
    }
    __atomic_store_n(&vramscope_annotations_found, (uintptr_t)found, __ATOMIC_RELEASE);
    return found;
}

/* Null where nobody listens. */
static inline const struct vramscope_annotations* vramscope_listener(void) {
    const uintptr_t found = __atomic_load_n(&vramscope_annotations_found, __ATOMIC_ACQUIRE);
    if (__builtin_expect(found == 0, 1)) return 0;
    return found != 1 ? (const struct vramscope_annotations*)found : vramscope_find_annotations();
}

static inline void vramscope_mark(uint32_t kind, const void* address, size_t bytes, const char* text) {
    const struct vramscope_annotations* listener = vramscope_listener();
    if (listener != 0) listener->mark(kind, address, bytes, text);
}

/* From here on the calling thread works for task `name`, and what it allocates is that task's, until the pop.
 * Tasks nest; tasks of one name are one task, in all processes of the job. */
static inline void vramscope_task_push(const char* name) {
    const struct vramscope_annotations* listener = vramscope_listener();
    if (listener != 0) listener->taskPush(name);
}
static inline void vramscope_task_pop(void) {
    const struct vramscope_annotations* listener = vramscope_listener();
    if (listener != 0) listener->taskPop();
}

/* The range is `task`'s from now on. */
static inline void vramscope_give(const void* address, size_t bytes, const char* task) {
    vramscope_mark(VRAMSCOPE_MARK_GIVE, address, bytes, task);
}
/* `task` (null: every task) may read the range, or write it, too, until the loan ends. A later loan of the
 * same range to the same task replaces an earlier one. */
static inline void vramscope_lend(const void* address, size_t bytes, const char* task, int access) {
    const int writes = (access & VRAMSCOPE_WRITE) != 0;
    vramscope_mark(writes ? VRAMSCOPE_MARK_LEND_WRITE : VRAMSCOPE_MARK_LEND_READ, address, bytes, task);
}
static inline void vramscope_lend_end(const void* address, size_t bytes, const char* task) {
    vramscope_mark(VRAMSCOPE_MARK_LEND_END, address, bytes, task);
}

/* What reports call the buffer or range. */
static inline void vramscope_name(const void* address, size_t bytes, const char* name) {
    vramscope_mark(VRAMSCOPE_MARK_NAME, address, bytes, name);
}

/* An allocator of the program cuts the range up: its bytes are nobody's but in the blocks that it hands out,
 * each of the task that asked for it. */
static inline void vramscope_heap(const void* address, size_t bytes, const char* name) {
    vramscope_mark(VRAMSCOPE_MARK_HEAP, address, bytes, name);
}
static inline void vramscope_heap_end(const void* address) {
    vramscope_mark(VRAMSCOPE_MARK_HEAP_END, address, 0, 0);
}
/* The heap had no room for a request of so many bytes; the caller's stack and task are those that asked. */
static inline void vramscope_heap_failed(const void* heap, size_t bytes) {
    vramscope_mark(VRAMSCOPE_MARK_HEAP_FAILED, heap, bytes, 0);
}
static inline void vramscope_block(const void* address, size_t bytes, const char* name) {
    vramscope_mark(VRAMSCOPE_MARK_BLOCK, address, bytes, name);
}
static inline void vramscope_block_end(const void* address) {
    vramscope_mark(VRAMSCOPE_MARK_BLOCK_END, address, 0, 0);
}

/* A step of the job's main loop begins; it ends where the next one begins. `name` may be null. */
static inline void vramscope_step(const char* name) {
    vramscope_mark(VRAMSCOPE_MARK_STEP, 0, 0, name);
}

#ifdef __cplusplus
}

namespace vramscope {

/* A task for the length of a scope. */
class TaskScope {
public:
    explicit TaskScope(const char* name) { vramscope_task_push(name); }
    ~TaskScope() { vramscope_task_pop(); }
    TaskScope(const TaskScope&) = delete;
    TaskScope& operator=(const TaskScope&) = delete;
};

}  // namespace vramscope
#endif

/* NOLINTEND(modernize-use-nullptr,misc-definitions-in-headers) */

#endif
