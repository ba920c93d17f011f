// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace vramscope {

/// What kind of trouble a Status reports. The command line maps each to an exit code (docs/guide.md).
enum class ErrorKind {
    None,
    Usage,       ///< the caller asked for something that makes no sense
    Unreadable,  ///< an input is missing, damaged, foreign or too new
    Incomplete,  ///< an input is readable but lacks what was asked for
    System,      ///< the operating system refused (disk full, no permission)
    Internal,    ///< our own defect
};

/// Success, or an error with text that a user can act on: it names the thing, what is wrong and what to do.
/// Passed between layers instead of exceptions. A value type; safe to copy between threads.
class [[nodiscard]] Status {
public:
    /// Success.
    Status() = default;
    /// An error; `kind` must not be None and `message` must be a full sentence without a final newline.
    Status(ErrorKind kind, std::string message) : m_kind(kind), m_message(std::move(message)) {
        assert(kind != ErrorKind::None);
    }

    static Status ok() { return {}; }
    bool isOk() const { return m_kind == ErrorKind::None; }
    ErrorKind kind() const { return m_kind; }
    const std::string& message() const { return m_message; }

private:
    ErrorKind m_kind = ErrorKind::None;
    std::string m_message;
};

/// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] StatusOr {
public:
    StatusOr(T value) : m_value(std::move(value)) {}  // NOLINT(google-explicit-constructor)
    StatusOr(Status status) : m_status(std::move(status)) { assert(!m_status.isOk()); }  // NOLINT

    bool isOk() const { return m_value.has_value(); }
    const Status& status() const { return m_status; }
    /// The value; only to be called when isOk().
    T& value() {
        assert(m_value);
        return *m_value;
    }
    const T& value() const {
        assert(m_value);
        return *m_value;
    }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    Status m_status;
    std::optional<T> m_value;
};

}  // namespace vramscope

/// Returns the Status of `expression` from the enclosing function unless it is success.
#define VRAMSCOPE_RETURN_IF_ERROR(expression)                                            \
    do {                                                                                 \
        if (::vramscope::Status status_ = (expression); !status_.isOk()) return status_; \
    } while (false)

#define VRAMSCOPE_CONCAT_INNER(a, b) a##b
#define VRAMSCOPE_CONCAT(a, b) VRAMSCOPE_CONCAT_INNER(a, b)
/// Declares or assigns `target` from a StatusOr expression, or returns its Status.
#define VRAMSCOPE_ASSIGN_OR_RETURN(target, expression)         \
    auto VRAMSCOPE_CONCAT(statusOr_, __LINE__) = (expression); \
    if (!VRAMSCOPE_CONCAT(statusOr_, __LINE__).isOk())         \
        return VRAMSCOPE_CONCAT(statusOr_, __LINE__).status(); \
    target = std::move(VRAMSCOPE_CONCAT(statusOr_, __LINE__).value())
