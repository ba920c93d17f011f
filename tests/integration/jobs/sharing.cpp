// SPDX-License-Identifier: Apache-2.0
// Handles that go from one process to another.
#include <chrono>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "samples/programs/two_processes.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = 4 * kMiB;

void sendDescriptor(int socket, int descriptor) {
    char byte = 'x';
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    *reinterpret_cast<int*>(CMSG_DATA(header)) = descriptor;
    if (::sendmsg(socket, &message, 0) != 1) std::exit(1);
}

int receiveDescriptor(int socket) {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(socket, &message, 0) != 1) std::exit(1);
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    return *reinterpret_cast<const int*>(CMSG_DATA(header));
}

/// For as long as a recorder needs to look at what is open.
void pauseIf(bool isHeld) {
    if (isHeld) std::this_thread::sleep_for(std::chrono::seconds(2));
}

int importMapped(const TwoProcesses& processes, int socket, bool isHeld) {
    const Context context;
    const int descriptor = receiveDescriptor(socket);
    CUmemGenericAllocationHandle handle = 0;
    CU(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(std::intptr_t{descriptor}),
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    pauseIf(isHeld);
    ::close(descriptor);
    CUdeviceptr address = 0;
    CU(cuMemAddressReserve(&address, kBytes, 0, 0, 0));
    CU(cuMemMap(address, kBytes, 0, handle, 0));
    CU(cuMemUnmap(address, kBytes));
    CU(cuMemAddressFree(address, kBytes));
    CU(cuMemRelease(handle));
    processes.send(1);
    return 0;
}

}  // namespace

// Physical memory goes to another process as a file descriptor, which both keep open for a while ("held") or
// close at once.
int shareDescriptor(const std::vector<std::string>& words) {
    const bool isHeld = words.at(0) == "held";
    int sockets[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 112;
    const TwoProcesses processes;
    if (processes.isChild()) return importMapped(processes, sockets[1], isHeld);
    const Context context;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle handle = 0;
    int descriptor = -1;
    CU(cuMemCreate(&handle, kBytes, &properties, 0));
    CU(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    sendDescriptor(sockets[0], descriptor);
    if (isHeld) processes.receive<int>();
    ::close(descriptor);
    if (!isHeld) processes.receive<int>();
    CU(cuMemRelease(handle));
    return processes.waitForChild();
}

// The importer opens a handle twice and closes it three times; the exporter asks for it twice.
int closeImportTwice(const std::vector<std::string>& /*words*/) {
    const TwoProcesses processes;
    const Context context;
    if (processes.isChild()) {
        const auto handle = processes.receive<CUipcMemHandle>();
        CUdeviceptr address = 0;
        CUdeviceptr again = 0;
        CU(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        CU(cuIpcOpenMemHandle(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        CU(cuIpcCloseMemHandle(again));
        CU(cuIpcCloseMemHandle(address));
        CU_UNREAD(cuIpcCloseMemHandle(address));
        processes.send(1);
        return address == again ? 0 : 111;
    }
    const CUdeviceptr address = allocate(kBytes);
    CUipcMemHandle handle{};
    CU(cuIpcGetMemHandle(&handle, address));
    CU(cuIpcGetMemHandle(&handle, address));
    processes.send(handle);
    processes.receive<int>();
    CU(cuMemFree(address));
    return processes.waitForChild();
}

}  // namespace vramscope::jobs
