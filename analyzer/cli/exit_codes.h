// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/status.h"

namespace vramscope::cli {

/// What `vramscope` returns; docs/guide.md lists them for users.
enum ExitCode : int {
    kFine = 0,
    kGateFailed = 1,  ///< or captures differ
    kUsage = 2,
    kUnreadable = 3,  ///< a capture is unreadable, or too incomplete for what was asked
    kInternal = 4,
    kInterrupted = 130,
};

inline int exitCodeOf(const Status& status) {
    switch (status.kind()) {
        case ErrorKind::None:
            return kFine;
        case ErrorKind::Usage:
            return kUsage;
        case ErrorKind::Unreadable:
        case ErrorKind::Incomplete:
        case ErrorKind::System:
            return kUnreadable;
        case ErrorKind::Internal:
            return kInternal;
    }
    return kInternal;
}

}  // namespace vramscope::cli
