// SPDX-License-Identifier: Apache-2.0
// A litmus test on the platform's parts: GPUs with their path blocks, NICs with queue pairs, a switch. Each thread is a
// wavefront, each queue a queue pair, and times are random: between instructions, in the data fabrics, in the write
// combiners. Lines leave caches at random times, too. The machine is built once and plays the test any number of times.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.h"
#include "core/simulation.h"
#include "host/cluster/queue_pair_cluster.h"
#include "litmus/tlm_places.h"
#include "litmus/tlm_spec.h"

namespace contraflow::litmus {

class tlm_machine final : private nic::message_observer_if {
public:
    // The test has places, and outlives the machine. `seed`: of everything that is random.
    tlm_machine(const ordering::litmus_test& test, const tlm_spec& s);
    ~tlm_machine();

    // Once more, from the initial values. Throws std::runtime_error if the platform fails in a way that no test has.
    ordering::outcome play();

private:
    static constexpr core::sim_time slice = core::sim_time::from_us(1);  // on average, between looks at what happens
    struct memories {                                                    // of a node: uncached, cached
        std::array<gpu::array<std::uint64_t>, 2> words;
        std::array<host::queue_pair_driver::handle, 2> keys;
    };
    struct thread_state {
        bool waits = false;     // now and then, in this run
        bool finished = false;  // all of its program
    };

    host::queue_pair_node& node(unsigned n) { return cluster_->node(n); }
    std::uint64_t address_of(unsigned variable) const;
    std::array<std::uint64_t, 8> encoded(unsigned variable, ordering::value v) const;
    ordering::value decoded(unsigned variable, std::uint64_t word) const;
    nic::work_entry entry(unsigned queue, unsigned number) const;

    void open_queues();
    void set_initial_values();
    void start_programs();
    gpu::host_task program(unsigned of_node);
    gpu::kernel run(gpu::wave w, unsigned thread, std::size_t begin, std::size_t end);
    gpu::task<> store(gpu::wave w, unsigned variable, ordering::value v);
    gpu::task<ordering::value> load(gpu::wave w, unsigned variable);
    gpu::task<> wait_a_little(gpu::wave w, unsigned thread, std::uint64_t most_delays);
    bool has_room(unsigned queue, std::uint64_t entries) const;

    void simulate();
    void settle();
    bool programs_ended();
    std::uint64_t progress() const;
    void lose_a_line();
    void lose_all_lines();
    void drop_clean_lines();
    ordering::outcome outcome() const;
    void message_ended(const nic::message_end& m) override;

    const ordering::litmus_test& test_;
    const tlm_spec spec_;
    const places places_;
    core::random_source draw_;
    core::simulation sim_;
    observe::statistics statistics_;
    std::unique_ptr<host::queue_pair_cluster> cluster_;
    std::vector<memories> memories_;
    std::vector<gpu::array<std::uint64_t>> doorbells_;  // of each queue, at its own node
    std::vector<thread_state> threads_;
    std::vector<ordering::value> registers_;
    std::uint64_t instructions_ = 0;
    std::uint32_t opened_ = 0;  // times
    std::uint64_t losses_ = 0;  // in this run, a line leaves its cache in one slice of so many; 0: in none
    bool given_up_ = false;
};

}  // namespace contraflow::litmus
