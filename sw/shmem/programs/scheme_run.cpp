// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/scheme_run.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "shmem/programs/meeting.h"

namespace contraflow::shmem {

using gpu::task;

void scheme_run::spec::describe(config::fields<spec>& f) {
    f("scheme", &spec::how).text("who communicates");
    f("shmem", &spec::job).text("the library inside kernels");
    f("host", &spec::host).text("the host's own puts");
}

heap_too_small::heap_too_small(core::bytes needed, core::bytes has, bool cached)
    : std::invalid_argument(fmt::format("the program needs {} of the symmetric heap{}, and it has {}",
                                        core::to_text(needed), cached ? " in cached pages" : "", core::to_text(has))),
      needed_(needed),
      cached_(cached) {}

scheme_run::heap_need scheme_run::heap_need_of(const program_if& p, unsigned pes) {
    constexpr std::uint64_t gaps = 4096;  // between arrays, of all of them together
    const std::uint64_t flags = std::uint64_t{8} * pes * p.workgroups();
    return {p.heap_bytes() + flags + gaps, p.cached_heap_bytes() == 0 ? 0 : p.cached_heap_bytes() + gaps};
}

shmem::spec scheme_run::job_spec(const spec& s, const program_if& p, unsigned pes) {
    shmem::spec j = s.job;
    const heap_need need = heap_need_of(p, pes);
    const auto give = [](core::bytes& heap, std::uint64_t needed, bool cached) {
        if (heap.count == 0) heap.count = needed;
        if (heap.count < needed) throw heap_too_small({needed}, heap, cached);
    };
    give(j.heap, need.uncached, false);
    give(j.cached_heap, need.cached, true);
    j.contexts = by_kernels(s.how) ? p.workgroups() : 1;
    j.helpers = s.how == scheme::ikn ? std::max(1u, j.helpers) : 0;
    return j;
}

scheme_run::scheme_run(core::scheduler& events, host::queue_pair_cluster& cluster, program_if& program, const spec& s)
    : events_(events),
      cluster_(cluster),
      program_(program),
      spec_(s),
      job_(events, cluster, job_spec(s, program, cluster.nodes())),
      step_ends_(cluster.nodes(), std::vector<core::sim_time>(program.steps())) {
    if (program.puts_at_any_time() && !by_kernels(s.how))
        throw std::invalid_argument(fmt::format(
            "the program puts whenever its data are ready, which only a kernel can: gio and ikn run it, not {}",
            config::name_of(s.how)));
    const std::size_t flags = std::size_t{job_.pes()} * program.workgroups();
    if (by_kernels(s.how)) {
        for (unsigned rank = 0; rank < job_.pes(); ++rank) {
            flags_.push_back(job_[rank].malloc<std::uint64_t>(flags));
            counts_.push_back(job_[rank].memory().allocate<std::uint64_t>(1));
        }
    } else {
        cluster.connect_all(1, {64, 64, host::ring_place::host, host::ring_place::host});
        std::vector<host_process*> all;
        for (unsigned rank = 0; rank < job_.pes(); ++rank)
            all.push_back(&processes_.emplace_back(events, cluster, job_[rank], job_.configuration().contexts, flags,
                                                   spec_.host));
        for (host_process& h : processes_) h.meet(all);
    }
    program_.prepare(job_);
    job_.check_calls();
}

void scheme_run::start() {
    started_ = events_.now();
    job_.start_helpers();
    for (unsigned rank = 0; rank < job_.pes(); ++rank)
        node_gpu(rank).start(by_kernels(spec_.how) ? one_kernel(rank) : host_program(rank));
}

bool scheme_run::finished() const {
    for (unsigned rank = 0; rank < job_.pes(); ++rank)
        if (!node_gpu(rank).finished()) return false;
    return true;
}

std::string scheme_run::problem() {
    for (unsigned rank = 0; rank < job_.pes(); ++rank) node_gpu(rank).rethrow();
    return program_.verify(job_);
}

void scheme_run::ended(unsigned rank, unsigned step) {
    core::sim_time& end = step_ends_[rank][step];
    end = std::max(end, events_.now());
}

// ---- by kernels

gpu::host_task scheme_run::one_kernel(unsigned rank) {
    step_kernel& k = kernels_.emplace_back();
    k.run = this;
    k.rank = rank;
    co_await node_gpu(rank).launch({"program", program_.workgroups(), program_.threads(node_gpu(rank).wave_width()), &k,
                                    &step_kernel::whole_program, context::scratchpad(job_[rank])});
}

gpu::kernel scheme_run::step_kernel::whole_program(gpu::wave w) {
    program_if& program = run->program_;
    pe& of = run->job_[rank];
    const auto workgroup = static_cast<unsigned>(w.cta());
    const gpu::array<std::uint64_t> flags = run->flags_[rank];
    context c(of, w);
    co_await c.create(workgroup);
    if (program.puts_at_any_time()) {
        co_await program.whole(c, w);
        co_await c.quiet();
        run->ended(rank, 0);
        co_await c.destroy();
        co_return;
    }
    for (unsigned s = 0; s < program.steps(); ++s) {
        co_await program.compute(of, w, s, part::edge);
        const auto messages = program.messages(of, workgroup, s);
        for (const program_if::message& m : messages) {
            const gpu::array<std::uint8_t> dest(m.dest, m.bytes), source(m.source, m.bytes);
            if (program.blocking())
                co_await c.put(dest, source, m.bytes, m.to);
            else
                co_await c.put_nbi(dest, source, m.bytes, m.to);
        }
        if (!program.blocking() && !messages.empty()) {
            co_await c.fence();
            for (const program_if::message& m : messages)
                co_await c.p(flags.slice(run->flag_of(rank, workgroup), 1), s + 1, m.to);
            co_await c.submit();
        }
        co_await program.compute(of, w, s, part::interior);
        for (const program_if::sender& from : program.senders(of, workgroup, s))
            co_await c.wait_until(flags.slice(run->flag_of(from.pe, from.workgroup), 1), cmp::ge, s + 1 - from.behind);
        if (program.in_step())
            co_await meet(w, run->counts_[rank], std::uint64_t{s + 1} * program.workgroups(),
                          of.configuration().poll.count);
        run->ended(rank, s);
    }
    co_await c.destroy();
}

// ---- by the host

gpu::kernel scheme_run::step_kernel::body(gpu::wave w) {
    if (edge) co_await run->program_.compute(run->job_[rank], w, step, part::edge);
    if (interior) co_await run->program_.compute(run->job_[rank], w, step, part::interior);
}

gpu::kernel_launch scheme_run::kernel_of(unsigned rank, unsigned step, bool edge, bool interior) {
    step_kernel& k = kernels_.emplace_back(step_kernel{this, rank, step, edge, interior});
    return {"step", program_.workgroups(), program_.threads(node_gpu(rank).wave_width()), &k, &step_kernel::body};
}

gpu::host_task scheme_run::host_program(unsigned rank) {
    gpu::gpu_system_if& gpu = node_gpu(rank);
    host_process& host = processes_[rank];
    for (unsigned s = 0; s < program_.steps(); ++s) {
        if (spec_.how == scheme::cpu) {
            const core::bytes moved = program_.compute_on_host(job_[rank], s);
            // The CPU's own writes pass the path block, whose read cache drops their lines.
            if (moved.count != 0) cluster_.node(rank).gpu().ppb().control(core::control_verb::invalidate);
            co_await host.timer().pause(spec_.host.memory.time_of(moved));
            co_await communicate(rank, s);
        } else if (spec_.how == scheme::inter_k_overlap) {  // the interior is behind the edge in the GPU's queue
            gpu::launch_operation edge = gpu.launch(kernel_of(rank, s, true, false));
            gpu::launch_operation interior = gpu.launch(kernel_of(rank, s, false, true));
            co_await edge;
            co_await communicate(rank, s);
            co_await interior;
        } else {
            const bool computes = spec_.how == scheme::inter_k;
            co_await gpu.launch(kernel_of(rank, s, computes, computes));
            co_await communicate(rank, s);
        }
        ended(rank, s);
    }
}

task<> scheme_run::communicate(unsigned rank, unsigned step) {
    host_process& host = processes_[rank];
    const pe& of = job_[rank];
    for (unsigned g = 0; g < program_.workgroups(); ++g) {
        const auto messages = program_.messages(of, g, step);
        for (const program_if::message& m : messages) co_await host.put_nbi(m.dest, m.source, m.bytes, m.to);
        if (program_.blocking()) continue;
        for (const program_if::message& m : messages) co_await host.fence(m.to);
        for (const program_if::message& m : messages) co_await host.signal(m.to, flag_of(rank, g), step + 1);
    }
    bool awaited = false;
    for (unsigned g = 0; g < program_.workgroups(); ++g)
        for (const program_if::sender& from : program_.senders(of, g, step)) {
            co_await host.wait(flag_of(from.pe, from.workgroup), step + 1 - from.behind);
            awaited = true;
        }
    co_await host.quiet();
    if (awaited && spec_.how == scheme::cpu) co_await host.await_arrivals();
}

void scheme_run::report_waits(std::vector<core::wait_edge>& edges) const {
    job_.report_waits(edges);
    for (const host_process& h : processes_) h.report_waits(edges);
}

}  // namespace contraflow::shmem
