// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace vramscope::collector {

/// An object of Python's, whose inside is none of our business.
struct PythonObject;

/// A hook of PEP 578: the event's name and the tuple of its arguments.
using PythonAuditHook = int (*)(const char* event, PythonObject* arguments, void* userData);

/// The calls of CPython's C API that we use, from the interpreter that the process has; declared anew, so
/// that one build serves every CPython since 3.8, the first with audit hooks. All of them are in the stable
/// ABI (docs.python.org/3/c-api/stable.html) but PySys_AddAuditHook, whose declaration has not changed since
/// (docs.python.org/3/c-api/sys.html). Only isInitialized and addPendingCall may be called without the global
/// interpreter lock.
struct PythonApi {
    int (*isInitialized)() = nullptr;
    int (*addPendingCall)(int (*)(void*), void*) = nullptr;
    int (*addAuditHook)(PythonAuditHook, void*) = nullptr;

    PythonObject* (*tupleItem)(PythonObject*, std::ptrdiff_t) = nullptr;  ///< borrowed
    PythonObject* (*attribute)(PythonObject*, const char*) = nullptr;     ///< owned; null with an error set
    PythonObject* (*typeOf)(PythonObject*) = nullptr;                     ///< owned
    unsigned long (*typeFlags)(PythonObject*) = nullptr;                  ///< of a type only
    const char* (*exceptionName)(PythonObject*) = nullptr;                ///< of an exception class only
    long (*toLong)(PythonObject*) = nullptr;                              ///< -1 with an error set
    /// Copies at most `capacity` characters of a str (nothing else will do) and returns how many.
    std::ptrdiff_t (*toWide)(PythonObject*, wchar_t*, std::ptrdiff_t capacity) = nullptr;
    void (*release)(PythonObject*) = nullptr;  ///< gives back an owned object

    void (*takeError)(PythonObject**, PythonObject**, PythonObject**) = nullptr;
    void (*putError)(PythonObject*, PythonObject*, PythonObject*) = nullptr;
    void (*clearError)() = nullptr;

    PythonObject* none = nullptr;       ///< None
    PythonObject* plainType = nullptr;  ///< the class `type`
};

/// Bits of typeFlags (Py_TPFLAGS_*_SUBCLASS, which the stable ABI's own type checks are made of).
inline constexpr unsigned long kPythonIsText = 1ul << 28;
inline constexpr unsigned long kPythonIsException = 1ul << 30;
inline constexpr unsigned long kPythonIsType = 1ul << 31;

extern PythonApi g_python;

/// Looks for CPython among what the program and its libraries export; false, at the price of one failed
/// look-up, in a program without it, or with one older than 3.8. Makes no Python call.
bool loadPythonApi();

/// An owned object, given back at the end of its life. Needs the global interpreter lock.
class OwnedObject {
public:
    explicit OwnedObject(PythonObject* object) : m_object(object) {}
    ~OwnedObject() {
        if (m_object != nullptr) g_python.release(m_object);
    }
    OwnedObject(const OwnedObject&) = delete;
    OwnedObject& operator=(const OwnedObject&) = delete;

    PythonObject* get() const { return m_object; }
    explicit operator bool() const { return m_object != nullptr; }
    /// Takes over another object in place of this one.
    void reset(PythonObject* object) {
        PythonObject* old = m_object;
        m_object = object;
        if (old != nullptr) g_python.release(old);
    }

private:
    PythonObject* m_object;
};

}  // namespace vramscope::collector
