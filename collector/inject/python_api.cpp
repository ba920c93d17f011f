// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/python_api.h"

#include <dlfcn.h>

namespace vramscope::collector {

PythonApi g_python;

namespace {

template <typename Target>
bool resolve(const char* name, Target& target) {
    target = reinterpret_cast<Target>(::dlsym(RTLD_DEFAULT, name));
    return target != nullptr;
}

}  // namespace

bool loadPythonApi() {
    return resolve("PySys_AddAuditHook", g_python.addAuditHook) &&
           resolve("Py_IsInitialized", g_python.isInitialized) &&
           resolve("Py_AddPendingCall", g_python.addPendingCall) &&
           resolve("PyTuple_GetItem", g_python.tupleItem) &&
           resolve("PyObject_GetAttrString", g_python.attribute) &&
           resolve("PyObject_Type", g_python.typeOf) && resolve("PyType_GetFlags", g_python.typeFlags) &&
           resolve("PyExceptionClass_Name", g_python.exceptionName) &&
           resolve("PyLong_AsLong", g_python.toLong) && resolve("PyUnicode_AsWideChar", g_python.toWide) &&
           resolve("Py_DecRef", g_python.release) && resolve("PyErr_Fetch", g_python.takeError) &&
           resolve("PyErr_Restore", g_python.putError) && resolve("PyErr_Clear", g_python.clearError) &&
           resolve("_Py_NoneStruct", g_python.none) && resolve("PyType_Type", g_python.plainType);
}

}  // namespace vramscope::collector
