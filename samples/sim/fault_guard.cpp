// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/fault_guard.h"

#include <csetjmp>
#include <csignal>

namespace vramscope::sim {
namespace {

thread_local sigjmp_buf t_escape;
thread_local bool t_guarded = false;
struct sigaction g_previousSegv;
struct sigaction g_previousBus;

void onFault(int signal, siginfo_t* info, void* context) {
    if (t_guarded) siglongjmp(t_escape, 1);
    // Another thread's own fault: put the program's handler back and let the access fault again.
    const struct sigaction& previous = signal == SIGSEGV ? g_previousSegv : g_previousBus;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    } else {
        sigaction(signal, &previous, nullptr);
    }
}

}  // namespace

CUresult runGuarded(const std::function<CUresult()>& work) {
    struct sigaction action {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &g_previousSegv);
    sigaction(SIGBUS, &action, &g_previousBus);
    CUresult result = CUDA_ERROR_ILLEGAL_ADDRESS;
    t_guarded = true;
    if (sigsetjmp(t_escape, 1) == 0) result = work();
    t_guarded = false;
    sigaction(SIGSEGV, &g_previousSegv, nullptr);
    sigaction(SIGBUS, &g_previousBus, nullptr);
    return result;
}

}  // namespace vramscope::sim
