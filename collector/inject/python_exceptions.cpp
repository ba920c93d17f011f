// SPDX-License-Identifier: Apache-2.0

// Python tells its audit hooks of an uncaught exception before it calls sys.excepthook (PEP 578, event
// "sys.excepthook" with hook, type, value and traceback). Replacing sys.excepthook itself would cost nothing
// until then, but programs look at it, replace it themselves and expect to find what they put there.

#include "collector/inject/python_exceptions.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "collector/inject/clock.h"
#include "collector/inject/python_traceback.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector {

namespace {

// Stays set in a forked child, which has its parent's hook too.
std::atomic<bool> g_isAsked{false};

struct UncaughtException {
    char type[512] = "";
    PythonPlaces places;
};

// The job's error indicator is as it was, whatever fails here.
void describe(PythonObject* arguments, UncaughtException& exception) {
    PythonObject* error[3] = {};
    g_python.takeError(&error[0], &error[1], &error[2]);
    PythonObject* type = g_python.tupleItem(arguments, 1);
    if (type != nullptr) readExceptionName(type, exception.type, sizeof(exception.type));
    g_python.clearError();  // Python is not to be asked for more with an error of ours pending
    PythonObject* traceback = g_python.tupleItem(arguments, 3);
    if (traceback != nullptr) readTraceback(traceback, exception.places);
    g_python.putError(error[0], error[1], error[2]);
}

void write(const UncaughtException& exception) {
    ThreadState* thread = currentThread();
    if (thread == nullptr) {
        if (isRecording() && !t_thread.inside) countDrop(formats::DropReason::TooManyThreads);
        return;
    }
    thread->inside = true;
    const PythonPlaces& places = exception.places;
    char files[sizeof(places.raised.file) + sizeof(places.script.file) + 1];
    std::snprintf(files, sizeof(files), "%s\n%s", places.raised.file, places.script.file);
    std::uint32_t textBytes = 0;
    if (formats::Record* record = reserveText(*thread, exception.type, files, textBytes)) {
        record->header.type = static_cast<std::uint16_t>(formats::RecordType::JobException);
        record->header.enterTicks = record->header.exitTicks = nowTicks();
        record->text.handle = static_cast<std::uint64_t>(places.raised.line);
        record->text.extra = static_cast<std::uint64_t>(places.script.line);
        record->text.textBytes = textBytes;
        publish(*thread, record->header.slotCount);
    }
    thread->inside = false;
}

// Runs at every audit event of every thread, with the interpreter's lock held, until the interpreter has let
// go of its hooks. Anything but 0 would turn the event into an exception.
int onAuditEvent(const char* event, PythonObject* arguments, void* /*userData*/) {
    if (event[0] != 's' || std::strcmp(event, "sys.excepthook") != 0) return 0;
    if (!isRecording() || arguments == nullptr) return 0;
    UncaughtException exception;
    describe(arguments, exception);
    if (exception.type[0] != '\0') write(exception);
    return 0;
}

// A pending call: the main thread runs it between two of its instructions.
int installHook(void* /*unused*/) {
    // A hook of the job's may refuse new ones; then nothing is recorded, and the job does not hear of it.
    if (g_python.addAuditHook(onAuditEvent, nullptr) != 0) g_python.clearError();
    return 0;
}

}  // namespace

void watchPythonExceptions() {
    if (g_isAsked.load(std::memory_order_relaxed) || !loadPythonApi() || g_python.isInitialized() == 0) {
        return;
    }
    // The thread that initialises CUDA may or may not hold the interpreter's lock, and asking for it here
    // could wait for ever. A pending call needs no lock.
    if (g_isAsked.exchange(true)) return;
    if (g_python.addPendingCall(installHook, nullptr) != 0) g_isAsked.store(false);
}

}  // namespace vramscope::collector
