// SPDX-License-Identifier: Apache-2.0
// What nodes a graph has and what they point at, however it was made; which graph a capture's work went into;
// and who opened whose handle.
#include <gtest/gtest.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class GraphsTest : public JobTest {
protected:
    OpenedCapture recordJob(const std::vector<std::string>& words) const {
        const CommandResult result = record(job(words));
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        return OpenedCapture(capturePath());
    }
};

TEST_F(GraphsTest, NodesMadeByHandSayWhatTheyPointAt) {
    OpenedCapture capture = recordJob({"build-graphs"});
    EXPECT_EQ(capture.table("SELECT g.kind, n.kind, n.api, k.name, is_enabled, n.end_ns IS NOT NULL, "
                            "n.child_graph_id IS NOT NULL FROM graph_nodes n JOIN graphs g USING (graph_id) "
                            "LEFT JOIN kernels k ON k.kernel_id = n.kernel_id ORDER BY graph_node_id"),
              "graph|kernel|cuGraphAddKernelNode|fill|1|0|0\n"
              "graph|copy|cuGraphAddMemcpyNode||1|1|0\n"
              "graph|set|cuGraphAddMemsetNode||1|0|0\n"
              "graph|child|cuGraphAddChildGraphNode||1|0|1\n"
              "graph|host|cuGraphAddHostNode||1|0|0\n"
              "graph|alloc|cuGraphAddNode||1|0|0\n"
              "graph|free|cuGraphAddMemFreeNode||1|0|0\n"
              "graph|copy|cuGraphMemcpyNodeSetParams||1|0|0\n"
              "exec|copy|cuGraphExecMemcpyNodeSetParams||1|0|0\n"
              "exec|copy|cuGraphNodeSetEnabled||0|0|0\n");
    EXPECT_EQ(capture.table("SELECT graph_node_id, role, buffer_id, \"offset\", size_bytes FROM "
                            "graph_node_addresses WHERE buffer_id IS NOT NULL ORDER BY rowid"),
              "1|argument|2|256|\n"
              "2|destination|2|0|1048576\n"
              "2|source|1|0|1048576\n"
              "3|destination|1|0|12800\n"
              "8|destination|1|0|1048576\n"
              "8|source|2|0|1048576\n"
              "9|destination|1|524288|524288\n"
              "9|source|2|0|524288\n");
    EXPECT_EQ(capture.number("SELECT size_bytes FROM graph_node_addresses WHERE role = 'allocated'"),
              3 << 20);
    EXPECT_EQ(capture.number("SELECT count(*) FROM graph_nodes WHERE stack_id IS NULL"), 1)
        << "switching a node off takes none";
    EXPECT_EQ(capture.number("SELECT count(*) FROM graph_memory_trims"), 1);
    EXPECT_EQ(capture.table("SELECT reserved_bytes FROM graph_memory_samples ORDER BY time_ns"),
              "33554432\n0\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM buffers WHERE kind = 'graph'"), 0)
        << "what a launch allocates and frees is none of the program's";
}

TEST_F(GraphsTest, CapturedWorkGoesIntoItsGraph) {
    OpenedCapture capture = recordJob({"capture-graphs"});
    const std::string nodesOf =
        "SELECT n.kind, a.role, a.buffer_id FROM graph_nodes n LEFT JOIN graph_node_addresses a USING "
        "(graph_node_id) WHERE graph_id = (SELECT graph_id FROM graphs WHERE kind = 'graph' ORDER BY "
        "graph_id LIMIT 1 OFFSET ";
    // The second was ended first.
    EXPECT_EQ(capture.table(nodesOf + "0) ORDER BY n.graph_node_id, a.rowid"),
              "copy|destination|2\ncopy|source|1\n");
    EXPECT_EQ(capture.table(nodesOf + "1) ORDER BY n.kind"),
              "host||\nkernel|argument|1\nset|destination|2\n");
    EXPECT_EQ(capture.table(nodesOf + "2)"), "child||\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM graph_nodes WHERE is_captured = 1 AND node <> 0"), 5);
    EXPECT_EQ(capture.number("SELECT count(*) FROM graph_nodes WHERE stack_id IS NULL"), 1)
        << "the host function's call is none that is decoded";
    EXPECT_EQ(capture.number("SELECT count(*) FROM graph_nodes c JOIN graphs g ON g.graph_id = "
                             "c.child_graph_id WHERE g.kind = 'exec'"),
              1);
    EXPECT_EQ(capture.number("SELECT min(is_whole) FROM graphs"), 1);
    EXPECT_EQ(capture.number("SELECT count(*) FROM graphs WHERE kind = 'graph' AND capture_stream_id IS NOT "
                             "NULL AND origin = 'captured'"),
              3)
        << "the broken capture gave none";
    // Nothing of it ran when it was captured.
    EXPECT_EQ(capture.number("SELECT count(*) FROM launches"), 1);
    EXPECT_EQ(capture.number("SELECT count(*) FROM copies"), 0);
    EXPECT_EQ(capture.number("SELECT count(*) FROM sets"), 0);
}

TEST_F(GraphsTest, ImportsFindWhatTheyOpenByTheBytes) {
    OpenedCapture capture = recordJob({"share-with-importer"});
    EXPECT_EQ(
        capture.table("SELECT i.kind, matched_by, h.process_id <> i.process_id, h.buffer_id IS NOT NULL, "
                      "h.object_id IS NOT NULL, close_ns IS NOT NULL, count(*) FROM ipc_imports i LEFT "
                      "JOIN ipc_handles h USING (ipc_handle_id) GROUP BY 1, 2, 3, 4, 5, 6"),
        "event|bytes|1|0|1|0|3\n"
        "event|bytes|1|0|1|1|1\n"
        "memory|bytes|1|1|0|1|1\n");
    EXPECT_EQ(capture.text("SELECT e.size_bytes || ' ' || e.kind FROM ipc_imports i JOIN ipc_handles h USING "
                           "(ipc_handle_id) JOIN buffers e ON e.buffer_id = h.buffer_id"),
              "67108864 device");
}

TEST_F(GraphsTest, DescriptorsAreComparedWhileTheyAreOpen) {
    const char* question =
        "SELECT i.kind, i.descriptor IS NOT NULL, h.handle_id IS NOT NULL, h.process_id <> i.process_id FROM "
        "ipc_imports i JOIN ipc_handles h USING (ipc_handle_id)";
    OpenedCapture held = recordJob({"share-descriptor", "held"});
    EXPECT_EQ(held.table(question), "vmm|1|1|1\n");
    const bool mayCompare = ::syscall(SYS_kcmp, ::getpid(), ::getpid(), KCMP_FILE, 0, 0) == 0;
    EXPECT_EQ(held.text("SELECT matched_by FROM ipc_imports"), mayCompare ? "descriptor" : "size-and-order");
}

TEST_F(GraphsTest, DescriptorsThatWereClosedAreMatchedBySizeAndOrder) {
    const CommandResult result = record(job({"share-descriptor", "closed"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT count(*), h.handle_id IS NOT NULL FROM ipc_imports i JOIN ipc_handles h "
                            "USING (ipc_handle_id)"),
              "1|1\n");
}

TEST_F(GraphsTest, ClosingAnImportOnceTooOftenIsADoubleFree) {
    OpenedCapture capture = recordJob({"close-import-twice"});
    EXPECT_EQ(capture.table("SELECT get_count FROM ipc_handles"), "2\n");
    EXPECT_EQ(capture.table("SELECT count(*), count(close_ns), count(DISTINCT close_ns), count(DISTINCT "
                            "buffer_id) FROM ipc_imports"),
              "2|2|2|1\n");
    const CommandResult check = run(m_machine.command({analyzerProgram(), "check", "job.vramscope"}));
    EXPECT_EQ(check.exitCode, 1) << check.describe();
    EXPECT_NE(check.out.find("corruption.double-free"), std::string::npos) << check.describe();
}

}  // namespace
}  // namespace vramscope::tests
