// SPDX-License-Identifier: Apache-2.0
// A compute unit (streaming multiprocessor): holds the wavefronts of a few CTAs, each of its schedulers issues one
// instruction at a time, in the order in which wavefronts become ready. Its load/store unit does the memory accesses.
// An instruction occupies its scheduler for as many cycles as its SIMD takes for all threads of a wavefront, and as
// many again for each instruction of the work stated with it. In a shader array its instructions must be fetched before
// they are issued, and a wavefront loads its kernel's arguments before it begins. A load stops its wavefront where
// the value is used, a store does not; a barrier, a fence and its end wait until both are answered. A unit without
// wavefronts costs nothing.
#pragma once

#include <memory>
#include <vector>

#include <systemc>

#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/compute_unit/cta_sink_if.h"
#include "gpu/compute_unit/load_store_unit.h"
#include "gpu/compute_unit/shader_array.h"
#include "gpu/kernel/kernel_launch.h"
#include "observe/gauge.h"

namespace contraflow::gpu {

class compute_unit final : public sc_core::sc_module,
                           public core::waiter_if,
                           public core::controllable_if,
                           private wave_executor_if,
                           private code_client_if {
public:
    compute_unit(const sc_core::sc_module_name& name, const memory::resources& shared, const compute_unit_spec& s,
                 const machine_memory& machine, cta_sink_if& sink);
    ~compute_unit() override;

    // To the first-level cache.
    memory::request_port& l1() { return memory_.l1; }

    // Its address translation and its requests by page; see load_store_unit.
    load_store_unit& memory_side() { return memory_; }
    // Before the first CTA. Without one, instructions and arguments are always there.
    void join(shader_array& array);

    // Whether an empty unit could take a CTA of that kernel.
    bool can_hold(const kernel_launch& k) const;
    bool has_room(const kernel_launch& k) const;
    // Needs room in the unit. The CTA begins at that time. The launch must outlive it.
    void start_cta(const kernel_launch& k, std::uint64_t number, core::sim_time when);

    // Pause holds back new line requests; drain refuses CTAs until enable.
    bool control(core::control_verb verb) override;
    bool idle() const { return waves_in_use_ == 0 && memory_.idle(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    const compute_unit_spec& configuration() const { return spec_; }
    std::uint64_t instructions() const { return instructions_.value(); }
    // Whether some wavefront only waits for its instruction's time.
    bool computing() const;
    unsigned outstanding() const { return memory_.outstanding(); }
    unsigned in_memory() const { return memory_.in_memory(); }  // those that do not wait for translation
    std::uint64_t answered() const { return memory_.answered(); }

private:
    struct cta : cta_context {
        std::uint64_t code = 0;  // physical address, if instructions are fetched
        std::vector<wavefront*> waves;
        unsigned running = 0;  // wavefronts that have not ended or have outstanding stores
        bool in_use = false;
    };

    void begin_loads(wave_context& wave, std::span<wave_access* const> loads, std::uint64_t work) override;
    bool wait(wave_context& wave, std::span<wave_access* const> loads) override;
    bool begin_accesses(wave_context& wave, std::span<wave_access> accesses) override;
    bool barrier(wave_context& wave) override;
    bool fence(wave_context& wave) override;
    bool compute(wave_context& wave, std::uint64_t cycles) override;

    // --- called by its load/store unit
    friend class load_store_unit;
    // The accesses that the wavefront waits for are complete.
    void memory_done(wavefront& w) { resume(w); }
    // All of its loads and stores are answered.
    void accesses_done(wavefront& w);
    // A request could not be made, or was answered with an error; its instruction goes on with zeros.
    void memory_failed(wavefront& w, std::exception_ptr error) { fail(*w.cta().launch, std::move(error)); }
    // The unit is paused, and all its line requests are answered.
    void memory_quiet() { sink_.unit_quiet(*this); }

    void fail(const kernel_launch& k, std::exception_ptr error) { sink_.cta_failed(k, std::move(error)); }
    // ---- code
    void code_arrived(unsigned slot, std::uint32_t number) override;
    void arguments_arrived(unsigned slot, std::uint32_t number) override;
    bool line_refused(unsigned slot, std::uint32_t number, bool of_arguments,
                      const tlm::tlm_generic_payload& answered) override;
    void fetch(wavefront& w);
    void add_step(wavefront& w, const issue_step& s);
    void issue_some(wavefront& w);
    void part_issued(unsigned slot);
    void step_issued(wavefront& w, const issue_step& s);
    void load_arguments(wavefront& w);
    std::uint64_t argument_lines() const;

    // The end of the instructions' time on their scheduler.
    core::sim_time issue(wavefront& w, std::uint64_t instructions);
    void count_scratchpad_use(wavefront& w);
    void issue(wavefront& w, wave_state what, std::uint64_t work);
    void issue(memory_instruction& i, std::uint64_t work);
    void issued(unsigned slot);
    void memory_issued(unsigned instruction);
    void begin_cta(unsigned slot);
    void resume(wavefront& w);
    void wave_ended(wavefront& w);
    void arrive_at_barrier(wavefront& w);
    void open_barrier(cta& c);
    void end_if_done(wavefront& w);
    void retire(wavefront& w);
    wavefront& free_wave();
    void clear_slots();
    core::sim_time next_edge() const;

    const compute_unit_spec spec_;
    const memory::resources shared_;
    cta_sink_if& sink_;
    shader_array* array_ = nullptr;

    std::vector<std::unique_ptr<wavefront>> waves_;  // grows to the most that were in use at once
    std::vector<unsigned> free_waves_;               // free ones among them
    std::vector<std::unique_ptr<cta>> ctas_;
    std::vector<unsigned> free_ctas_;
    struct scheduler {
        core::sim_time free{};
        unsigned waves = 0;  // in its slots
    };
    const std::uint64_t issue_cycles_;
    std::vector<scheduler> schedulers_;
    unsigned next_scheduler_ = 0;
    unsigned waves_in_use_ = 0;
    unsigned accesses_issuing_ = 0;  // instructions
    unsigned ctas_in_use_ = 0;
    std::uint64_t scratchpad_in_use_ = 0;
    bool draining_ = false;
    core::cancellable_calls<compute_unit> calls_;

    observe::counter instructions_;
    observe::counter busy_cycles_;
    observe::counter scratchpad_cycles_;
    observe::counter bank_conflicts_;
    observe::counter ctas_run_;
    observe::gauge resident_;
    std::unique_ptr<observe::counter> starved_;  // if instructions are fetched, as the next one
    std::unique_ptr<observe::counter> waited_for_arguments_;
    std::uint64_t ctas_started_ = 0;
    std::uint64_t ctas_ended_ = 0;

    load_store_unit memory_;
};

}  // namespace contraflow::gpu
