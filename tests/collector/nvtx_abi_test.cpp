// SPDX-License-Identifier: Apache-2.0
// Our declarations against NVIDIA's headers. The compiler is the test.

#include "collector/inject/nvtx_abi.h"

#include <cstddef>
#include <nvtx3/nvToolsExt.h>
#include <type_traits>

namespace ours = vramscope::collector::nvtx;

template <typename Ours, typename Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
    return static_cast<long>(ours) == static_cast<long>(theirs);
}

static_assert(same(ours::Module::Core, NVTX_CB_MODULE_CORE) &&
              same(ours::Module::Core2, NVTX_CB_MODULE_CORE2));
static_assert(same(ours::Module::Cuda, NVTX_CB_MODULE_CUDA) &&
              same(ours::Module::CudaRuntime, NVTX_CB_MODULE_CUDART));

static_assert(same(ours::Core::MarkEx, NVTX_CBID_CORE_MarkEx));
static_assert(same(ours::Core::MarkA, NVTX_CBID_CORE_MarkA));
static_assert(same(ours::Core::MarkW, NVTX_CBID_CORE_MarkW));
static_assert(same(ours::Core::RangeStartEx, NVTX_CBID_CORE_RangeStartEx));
static_assert(same(ours::Core::RangeStartA, NVTX_CBID_CORE_RangeStartA));
static_assert(same(ours::Core::RangeStartW, NVTX_CBID_CORE_RangeStartW));
static_assert(same(ours::Core::RangeEnd, NVTX_CBID_CORE_RangeEnd));
static_assert(same(ours::Core::RangePushEx, NVTX_CBID_CORE_RangePushEx));
static_assert(same(ours::Core::RangePushA, NVTX_CBID_CORE_RangePushA));
static_assert(same(ours::Core::RangePushW, NVTX_CBID_CORE_RangePushW));
static_assert(same(ours::Core::RangePop, NVTX_CBID_CORE_RangePop));
static_assert(same(ours::Core::NameOsThreadA, NVTX_CBID_CORE_NameOsThreadA));
static_assert(same(ours::Core::NameOsThreadW, NVTX_CBID_CORE_NameOsThreadW));

static_assert(same(ours::Core2::DomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx));
static_assert(same(ours::Core2::DomainRangeStartEx, NVTX_CBID_CORE2_DomainRangeStartEx));
static_assert(same(ours::Core2::DomainRangeEnd, NVTX_CBID_CORE2_DomainRangeEnd));
static_assert(same(ours::Core2::DomainRangePushEx, NVTX_CBID_CORE2_DomainRangePushEx));
static_assert(same(ours::Core2::DomainRangePop, NVTX_CBID_CORE2_DomainRangePop));
static_assert(same(ours::Core2::DomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA));
static_assert(same(ours::Core2::DomainRegisterStringW, NVTX_CBID_CORE2_DomainRegisterStringW));
static_assert(same(ours::Core2::DomainCreateA, NVTX_CBID_CORE2_DomainCreateA));
static_assert(same(ours::Core2::DomainCreateW, NVTX_CBID_CORE2_DomainCreateW));

static_assert(same(ours::Cuda::NameCuStreamA, NVTX_CBID_CUDA_NameCuStreamA));
static_assert(same(ours::Cuda::NameCuStreamW, NVTX_CBID_CUDA_NameCuStreamW));
static_assert(same(ours::CudaRuntime::NameCudaStreamA, NVTX_CBID_CUDART_NameCudaStreamA));
static_assert(same(ours::CudaRuntime::NameCudaStreamW, NVTX_CBID_CUDART_NameCudaStreamW));

static_assert(ours::kCallbackExports == NVTX_ETID_CALLBACKS);
static_assert(sizeof(ours::CallbackExports) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(ours::CallbackExports, getModuleFunctionTable) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));
static_assert(std::is_same_v<ours::GetExportTable, NvtxGetExportTableFunc_t>);

static_assert(sizeof(ours::EventAttributes) == sizeof(nvtxEventAttributes_t));
static_assert(offsetof(ours::EventAttributes, structBytes) == offsetof(nvtxEventAttributes_t, size));
static_assert(offsetof(ours::EventAttributes, messageType) == offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(ours::EventAttributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(same(ours::MessageType::Narrow, NVTX_MESSAGE_TYPE_ASCII));
static_assert(same(ours::MessageType::Wide, NVTX_MESSAGE_TYPE_UNICODE));
static_assert(same(ours::MessageType::Registered, NVTX_MESSAGE_TYPE_REGISTERED));
static_assert(ours::kNoTracking == NVTX_NO_PUSH_POP_TRACKING &&
              sizeof(ours::RangeId) == sizeof(nvtxRangeId_t));
