// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/context_events.h"

#include <gtest/gtest.h>

#include "collector/inject/call_stack.h"
#include "collector/inject/cupti_api.h"
#include "collector/inject/device_announcement.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/guard.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/launch_route.h"
#include "collector/inject/poison.h"
#include "tests/collector/recorded_arena.h"

namespace {

bool g_isExiting = false;
int g_queries = 0;

constexpr std::uint32_t kContextId = 7;

}  // namespace

// What the tested file calls, without driver and CUPTI.
namespace vramscope::collector {

CuptiApi g_cupti;

bool mayCallDriver() {
    return !g_isExiting;
}
void announceDevice(ThreadState& /*thread*/, std::int32_t /*ordinal*/) {}
void forgetKernelLayouts() {}
void noteContext(bool /*isNew*/, std::uint32_t /*uid*/) {}
void expectNewCode() {}
void endGuards(std::uint32_t /*contextUid*/) {}
void endPoison(std::uint32_t /*contextUid*/) {}
void endWatch(std::uint32_t /*contextUid*/) {}
void endPerturbation(std::uint32_t /*contextUid*/) {}
std::uint32_t captureStack(ThreadState& /*thread*/) {
    return 0;
}

}  // namespace vramscope::collector

namespace vramscope::tests {
namespace {

using formats::RecordType;

CUptiResult answerId(CUcontext /*context*/, std::uint32_t* id) {
    ++g_queries;
    *id = kContextId;
    return CUPTI_SUCCESS;
}

class ContextEventsTest : public testing::Test {
protected:
    void SetUp() override {
        g_isExiting = false;
        g_queries = 0;
        collector::g_cupti.getContextId = answerId;
        collector::g_cupti.getDeviceId = answerId;
        m_arena.start();
    }
    void raiseAll() {
        CUpti_ModuleResourceData module{};
        CUpti_ResourceData data{};
        data.context = reinterpret_cast<CUcontext>(0x1234);
        data.resourceDescriptor = &module;
        for (const CUpti_CallbackId id :
             {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_MODULE_LOADED,
              CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING}) {
            collector::onResource(*collector::currentThread(), id, data);
        }
    }

    RecordedArena m_arena;
};

TEST_F(ContextEventsTest, AsksCuptiWhichContextItIs) {
    raiseAll();
    EXPECT_GT(g_queries, 0);
    EXPECT_EQ(m_arena.records(RecordType::ContextDestroy).at(0).record.header.contextUid, kContextId);
    EXPECT_EQ(m_arena.records(RecordType::GpuModule).at(1).record.header.contextUid, kContextId);
}

TEST_F(ContextEventsTest, AsksNothingOnceTheProcessExits) {
    g_isExiting = true;
    raiseAll();
    EXPECT_EQ(g_queries, 0);
    const SeenRecord destroyed = m_arena.records(RecordType::ContextDestroy).at(0);
    EXPECT_EQ(destroyed.record.header.contextUid, 0u);
    EXPECT_EQ(destroyed.record.context.context, 0x1234u) << "by which the recorder finds it";
    EXPECT_EQ(m_arena.records(RecordType::GpuModule).size(), 2u);
}

}  // namespace
}  // namespace vramscope::tests
