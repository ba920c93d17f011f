// SPDX-License-Identifier: Apache-2.0
// Driver callbacks as CUPTI raises them: pairs, real parameter structs, changed parameters, nested calls.
#include <cstdint>
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/sim/context_fixture.h"

namespace {

struct Seen {
    CUpti_CallbackDomain domain;
    CUpti_CallbackId id;
    CUpti_CallbackData data;
    uint64_t correlationValue;
};

#define call(function) (reinterpret_cast<decltype(&function)>(dlsym(m_cupti, #function)))

/// Finds CUPTI as a tool does: the copy that the driver has mapped.
class CallbackTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        m_cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(m_cupti, nullptr) << "cuInit maps the library";
        ASSERT_EQ(call(cuptiSubscribe)(&m_subscriber, &CallbackTest::onCallback, this), CUPTI_SUCCESS);
    }
    void TearDown() override {
        EXPECT_EQ(call(cuptiUnsubscribe)(m_subscriber), CUPTI_SUCCESS);
        ContextTest::TearDown();
    }

    void enable(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
        EXPECT_EQ(call(cuptiEnableCallback)(1, m_subscriber, domain, id), CUPTI_SUCCESS);
    }
    void enableDriver(CUpti_CallbackId id) { enable(CUPTI_CB_DOMAIN_DRIVER_API, id); }

    static void onCallback(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                           const void* data) {
        auto* self = static_cast<CallbackTest*>(userdata);
        Seen seen{domain, id, {}, 0};
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
            seen.data = *static_cast<const CUpti_CallbackData*>(data);
            if (seen.data.callbackSite == CUPTI_API_ENTER)
                *seen.data.correlationData = 1000 + self->m_seen.size();
            seen.correlationValue = *seen.data.correlationData;
        }
        self->m_seen.push_back(seen);
        if (self->m_react) self->m_react(seen);
    }

    void* m_cupti = nullptr;
    CUpti_SubscriberHandle m_subscriber = nullptr;
    std::vector<Seen> m_seen;
    std::function<void(const Seen&)> m_react;
};

TEST_F(CallbackTest, enterAndExitArePairedWithTheParameters) {
    enableDriver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    CUdeviceptr address = 0;
    m_react = [&](const Seen& seen) {
        const auto* parameters = static_cast<const cuMemAlloc_v2_params*>(seen.data.functionParams);
        EXPECT_EQ(parameters->dptr, &address);
        EXPECT_EQ(parameters->bytesize, 4096u);
        const bool exit = seen.data.callbackSite == CUPTI_API_EXIT;
        EXPECT_EQ(*parameters->dptr != 0, exit);
        EXPECT_EQ(*static_cast<CUresult*>(seen.data.functionReturnValue), CUDA_SUCCESS);
    };
    ASSERT_EQ(cuMemAlloc(&address, 4096), CUDA_SUCCESS);
    cuMemFree(address);
    ASSERT_EQ(m_seen.size(), 2u) << "cuMemFree is not enabled";
    EXPECT_EQ(m_seen[0].data.callbackSite, CUPTI_API_ENTER);
    EXPECT_EQ(m_seen[1].data.callbackSite, CUPTI_API_EXIT);
    EXPECT_EQ(m_seen[1].correlationValue, 1000u);
    EXPECT_EQ(m_seen[0].data.correlationId, m_seen[1].data.correlationId);
    EXPECT_STREQ(m_seen[0].data.functionName, "cuMemAlloc_v2");
    EXPECT_EQ(m_seen[0].data.context, m_context);
    uint32_t uid = 0;
    EXPECT_EQ(call(cuptiGetContextId)(m_context, &uid), CUPTI_SUCCESS);
    EXPECT_EQ(m_seen[0].data.contextUid, uid);
}

TEST_F(CallbackTest, aSizeChangedAtEnterTakesEffect) {
    enableDriver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    m_react = [](const Seen& seen) {
        if (seen.data.callbackSite != CUPTI_API_ENTER) return;
        auto* parameters = const_cast<cuMemAlloc_v2_params*>(
            static_cast<const cuMemAlloc_v2_params*>(seen.data.functionParams));
        parameters->bytesize += 512;
    };
    const CUdeviceptr block = allocate(4096);
    CUdeviceptr base = 0;
    size_t sizeBytes = 0;
    EXPECT_EQ(cuMemGetAddressRange(&base, &sizeBytes, block), CUDA_SUCCESS);
    EXPECT_EQ(sizeBytes, 4608u);
    cuMemFree(block);
}

TEST_F(CallbackTest, aFailedCallShowsItsErrorAtExit) {
    enableDriver(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
    CUresult atExit = CUDA_SUCCESS;
    m_react = [&](const Seen& seen) {
        if (seen.data.callbackSite == CUPTI_API_EXIT)
            atExit = *static_cast<CUresult*>(seen.data.functionReturnValue);
    };
    EXPECT_EQ(cuMemFree(12345), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(atExit, CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CallbackTest, callsInsideACallbackNest) {
    enableDriver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    enableDriver(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
    bool inside = false;
    m_react = [&](const Seen&) {
        if (inside) return;
        inside = true;
        cuMemFree(allocate(1 * kMiB));
    };
    cuMemFree(allocate(512));
    // enter, 4 nested, exit, enter, exit
    ASSERT_EQ(m_seen.size(), 8u);
    EXPECT_EQ(m_seen[0].data.correlationId, m_seen[5].data.correlationId);
    EXPECT_EQ(m_seen[1].data.correlationId, m_seen[2].data.correlationId);
    EXPECT_NE(m_seen[0].data.correlationId, m_seen[1].data.correlationId);
}

TEST_F(CallbackTest, contextsAndStreamsAreAnnounced) {
    for (CUpti_CallbackId id = CUPTI_CBID_RESOURCE_CONTEXT_CREATED;
         id <= CUPTI_CBID_RESOURCE_CU_INIT_FINISHED; ++id) {
        enable(CUPTI_CB_DOMAIN_RESOURCE, id);
    }
    CUcontext context = nullptr;
    ASSERT_EQ(cuCtxCreate(&context, nullptr, 0, m_device), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
    ASSERT_EQ(m_seen.size(), 2u);
    EXPECT_EQ(m_seen[0].id, CUpti_CallbackId(CUPTI_CBID_RESOURCE_CONTEXT_CREATED));
    EXPECT_EQ(m_seen[1].id, CUpti_CallbackId(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING));
}

TEST_F(CallbackTest, aSecondSubscriberIsRefusedAndToldWhoIsThere) {
    CUpti_SubscriberHandle second = nullptr;
    EXPECT_EQ(call(cuptiSubscribe)(&second, &CallbackTest::onCallback, nullptr),
              CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    char name[64] = "?";
    CUpti_SubscriberParams parameters{};
    parameters.structSize = sizeof parameters;
    parameters.subscriberName = "test";
    parameters.oldSubscriberName = name;
    parameters.oldSubscriberSize = sizeof name;
    EXPECT_EQ(call(cuptiSubscribe_v2)(&second, &CallbackTest::onCallback, nullptr, &parameters),
              CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_STRNE(name, "?");
}

TEST_F(CallbackTest, callbackNamesComeFromTheHeader) {
    const char* name = nullptr;
    EXPECT_EQ(call(cuptiGetCallbackName)(CUPTI_CB_DOMAIN_DRIVER_API, 243, &name), CUPTI_SUCCESS);
    EXPECT_STREQ(name, "cuMemAlloc_v2");
    EXPECT_EQ(
        call(cuptiGetCallbackName)(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &name),
        CUPTI_SUCCESS);
    EXPECT_STREQ(name, "cuLaunchKernel");
    EXPECT_NE(call(cuptiGetCallbackName)(CUPTI_CB_DOMAIN_DRIVER_API, 5000, &name), CUPTI_SUCCESS);
    uint32_t version = 0;
    EXPECT_EQ(call(cuptiGetVersion)(&version), CUPTI_SUCCESS);
    EXPECT_EQ(version, 130001u);
}

TEST_F(CallbackTest, theSubscriberMakesContextsLarger) {
    const size_t before = freeBytes();
    CUcontext context = nullptr;
    ASSERT_EQ(cuCtxCreate(&context, nullptr, 0, m_device), CUDA_SUCCESS);
    EXPECT_EQ(before - freeBytes(), (64 + 14) * kMiB)
        << "a sixteenth of the 1 GiB device and what CUPTI adds";
    cuCtxDestroy(context);
}

TEST_F(CallbackTest, entryPointsFoundByNameAreTheSame) {
    enableDriver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    void* found = nullptr;
    CUdriverProcAddressQueryResult status{};
    ASSERT_EQ(cuGetProcAddress("cuMemAlloc", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status),
              CUDA_SUCCESS);
    ASSERT_NE(found, nullptr);
    CUdeviceptr block = 0;
    EXPECT_EQ(reinterpret_cast<decltype(&cuMemAlloc)>(found)(&block, 512), CUDA_SUCCESS);
    EXPECT_EQ(m_seen.size(), 2u);
    cuMemFree(block);
    ASSERT_EQ(cuGetProcAddress("cuMemcpyHtoD", &found, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                               &status),
              CUDA_SUCCESS);
    void* plain = nullptr;
    ASSERT_EQ(cuGetProcAddress("cuMemcpyHtoD", &plain, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status),
              CUDA_SUCCESS);
    EXPECT_NE(found, plain);
    EXPECT_EQ(cuGetProcAddress("cuNoSuchThing", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status),
              CUDA_SUCCESS);
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

}  // namespace
