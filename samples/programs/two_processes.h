// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/programs/sample.h"

namespace vramscope::samples {

/// This process and a child, with a pipe each way. Made before CUDA starts: a driver does not survive a fork.
class TwoProcesses {
public:
    TwoProcesses() {
        int toChild[2] = {-1, -1};
        int toParent[2] = {-1, -1};
        if (::pipe(toChild) != 0 || ::pipe(toParent) != 0) std::exit(1);
        m_child = ::fork();
        if (m_child < 0) std::exit(1);
        m_in = isChild() ? toChild[0] : toParent[0];
        m_out = isChild() ? toParent[1] : toChild[1];
        ::close(isChild() ? toChild[1] : toParent[1]);
        ::close(isChild() ? toParent[0] : toChild[0]);
    }
    TwoProcesses(const TwoProcesses&) = delete;
    TwoProcesses& operator=(const TwoProcesses&) = delete;

    bool isChild() const { return m_child == 0; }

    template <typename T>
    void send(const T& value) const {
        if (::write(m_out, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) std::exit(1);
    }
    template <typename T>
    T receive() const {
        T value{};
        if (::read(m_in, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) std::exit(1);
        return value;
    }
    /// In the parent: the child's exit code.
    int waitForChild() const {
        int status = 0;
        ::waitpid(m_child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }

private:
    pid_t m_child = -1;
    int m_in = -1;
    int m_out = -1;
};

}  // namespace vramscope::samples
