// SPDX-License-Identifier: Apache-2.0
// Replays a trace of another program, or one written by hand: its accesses without its computation.
#include "traces/replay.h"
#include "workloads/support/entry.h"

namespace contraflow::workloads {
namespace {

class trace_workload final : public workload_if {
public:
    struct spec {
        std::string file;

        static void describe(config::fields<spec>& f) {
            f("file", &spec::file)
                .text("a trace, in bytes or as text; relative to where the command is typed, or to "
                      "the configuration");
        }
        std::vector<config::problem> problems() const {
            if (!file.empty()) return {};
            return {{"no trace is named", {{"file", "a file that --record has written, or one in its text form"}}}};
        }
    };
    static spec sized(workload_size) { return {}; }
    explicit trace_workload(const spec& s) : replay_(traces::read_file(s.file)) {}

    void prepare(gpu::device_memory& memory) override { replay_.prepare(memory); }
    gpu::host_task run(gpu::gpu_system_if& gpu) override { return replay_.run(gpu); }
    std::string verify(gpu::device_memory&) override { return replay_.verify(); }

private:
    traces::replay replay_;
};

}  // namespace

workload_entry trace() {
    return entry_of<trace_workload>("trace", "the accesses of a recorded run, without its computation",
                                    "programs that others have recorded or written down", suite::gpus);
}

}  // namespace contraflow::workloads
