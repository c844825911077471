// SPDX-License-Identifier: Apache-2.0
#include "validate/unified_gpu/watched_move.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "validate/unified_gpu/page_writers.h"

namespace contraflow::validate {
namespace {

using host::migration::step;

constexpr unsigned move_from = 1, move_to = 2;
constexpr std::size_t page_words = 1024;

struct sight_entry {
    sight what;
    const char* name;
    step within;
};
constexpr std::array<sight_entry, sights> sight_entries{{
    {sight::held, "held", step::notify},
    {sight::closed, "closed", step::close},
    {sight::drained, "drained", step::drain},
    {sight::invalidated, "invalidated", step::shootdown},
    {sight::written_back, "written back", step::flush},
    {sight::entered, "in the table", step::table},
    {sight::pulling, "first line", step::pull},
    {sight::pulled, "pulled", step::pull},
    {sight::restarted, "restarted", step::restart},
    {sight::replied, "replied", step::reply},
    {sight::local, "read", step::reply},  // after it
}};

// Reads of the page by the receiver.
struct reader_watch final : gpu::request_observer_if {
    explicit reader_watch(std::uint64_t page) : begin(page) {}
    void request_completed(gpu::access_kind kind, bool remote, const memory::memory_extension& request) override {
        const std::uint64_t offset = request.virtual_address - begin;
        if (kind != gpu::access_kind::load || request.origin.gpu + 1u != move_to || offset >= 4096) return;
        if (remote)
            ++across;
        else if (first == core::sim_time::never())
            first = request.times.last();
    }
    const std::uint64_t begin;
    core::sim_time first = core::sim_time::never();  // the first local read
    std::uint64_t across = 0;
};

// The state of a machine that changes while a page moves.
class move_watch {
public:
    move_watch(unified_bench& bench, std::uint64_t page) : bench_(bench), page_(page) {
        seen_.at.fill(core::sim_time::never());
    }

    void look() {
        const core::sim_time now = bench_.simulation.events().now();
        auto& machine = bench_.machine;
        const std::size_t held = machine.iommu()->held();
        const bool closed =
            machine.table()->find(bench_.process.process(), page_)->rights == memory::access_rights::none;
        if (held > 0) first(sight::held, now);
        if (closed) first(sight::closed, now);
        if (!was(sight::closed)) {
            invalidated_ = seen_.invalidated = invalidated();
            return;
        }
        if (!was(sight::entered))
            before_entry(now);
        else
            after_entry(now, held);
    }
    bool complete() const { return was(sight::replied) && was(sight::pulled) && was(sight::restarted); }
    watched_move result() const { return seen_; }

private:
    bool was(sight s) const { return seen_.seen(s) != core::sim_time::never(); }
    void put(sight s, core::sim_time t) { seen_.at[static_cast<std::size_t>(s)] = t; }
    void first(sight s, core::sim_time t) {
        if (!was(s)) put(s, t);
    }

    gpu::gpu_socket& owner() { return bench_.machine.gpus().gpu(move_from); }
    bool busy() {
        const auto& units = owner().units();
        return std::any_of(units.begin(), units.end(), [](const auto& u) { return u->in_memory() > 0; });
    }
    std::uint64_t invalidated() {
        std::uint64_t pages = owner().translation()->l2().statistics().invalidated.value();
        for (const auto& u : owner().units())
            pages += u->memory_side().translator()->tlb().statistics().invalidated.value();
        return pages;
    }
    std::uint64_t memory_bytes(bool written) {
        const auto& s = owner().memory().statistics();
        return written ? s.written_bytes.value() : s.read_bytes.value();
    }

    void before_entry(core::sim_time now) {
        // For an event that may happen several times, the last time counts.
        if (busy()) {
            put(sight::drained, core::sim_time::never());
            written_ = memory_bytes(true);
        } else {
            first(sight::drained, now);
        }
        if (const std::uint64_t n = invalidated(); n != invalidated_) {
            invalidated_ = n;
            put(sight::invalidated, now);
        }
        if (const std::uint64_t n = memory_bytes(true); was(sight::drained) && n != last_written_) {
            last_written_ = n;
            if (n != written_) put(sight::written_back, now);
        }
        if (bench_.gpu_of(page_) != move_to) return;
        put(sight::entered, now);
        seen_.invalidated = invalidated_ - seen_.invalidated;
        seen_.written_back = memory_bytes(true) - written_;
        read_ = memory_bytes(false);
    }
    void after_entry(core::sim_time now, std::size_t held) {
        const std::uint64_t moved = bench_.machine.gpus().migration(move_to)->moved();
        if (moved > 0) first(sight::pulling, now);
        if (moved >= 4096 && !was(sight::pulled)) {
            put(sight::pulled, now);
            seen_.read = memory_bytes(false) - read_;
        }
        if (busy()) first(sight::restarted, now);
        if (held == 0) first(sight::replied, now);
    }

    unified_bench& bench_;
    const std::uint64_t page_;
    watched_move seen_;
    std::uint64_t invalidated_ = 0, written_ = 0, last_written_ = 0, read_ = 0;
};

}  // namespace

std::size_t watched_move::out_of_order() const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < sights; ++i)
        wrong += at[i] == core::sim_time::never() || (i > 0 && at[i] <= at[i - 1]) ? 1 : 0;
    return wrong;
}

std::size_t watched_move::apart_from_trace() const {
    std::size_t apart = 0;
    for (const sight_entry& e : sight_entries) {
        const core::sim_time t = seen(e.what), end = traced.ended(e.within);
        const bool within = e.what == sight::local ? t >= end : t >= traced.began(e.within) && t <= end + look;
        apart += within && t != core::sim_time::never() ? 0 : 1;
    }
    return apart;
}

std::string watched_move::text() const {
    std::string text;
    for (const sight_entry& e : sight_entries)
        text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", e.name,
                            (seen(e.what) - seen(sight::held)).seconds() * 1e6);
    return text;
}

watched_move watch_move(const host::unified_machine::spec& s, const run_environment& environment) {
    unified_bench bench(s, environment);
    recorded_moves moves;
    bench.machine.migrator()->set_observer(&moves);
    const auto x = bench.array_on(move_from, page_words), other = bench.array_on(move_from, 16 * page_words);
    host::command_queue &owner = bench.queue_on(move_from), &reader = bench.queue_on(move_to);
    auto prepare = [&]() -> gpu::host_task {
        co_await owner.launch({"write", 4, 256, [=](gpu::wave w) -> gpu::kernel {
                                   co_await w.store(x, w.global_ids(), w.global_ids() + 1);
                               }});
    };
    bench.run(prepare());

    reader_watch reads(x.address());
    bench.machine.gpus().profile().set_observer(&reads);
    move_watch watch(bench, x.address());
    std::uint32_t wrong = 0;
    auto program = [&]() -> gpu::host_task {
        const host::event busy =
            owner.launch({"busy", 16, 128, [=](gpu::wave w) -> gpu::kernel {
                              for (std::uint32_t i = 0; i < 100; ++i)
                                  co_await w.load(other, (w.global_ids() * 16 + i * 1024) % other.size());
                          }});
        co_await reader.launch({"read", 1, 32, [=, &wrong](gpu::wave w) -> gpu::kernel {
                                    for (std::uint32_t i = 0; i < page_words; i += 32) {
                                        const auto v = co_await w.load(x, w.thread_ids() + i);
                                        for (unsigned thread = 0; thread < 32; ++thread)
                                            wrong += v[thread] == i + thread + 1 ? 0 : 1;
                                    }
                                }});
        co_await busy;
    };
    bench.begin(program());
    const core::sim_time look = s.cycle(), begun = bench.simulation.events().now();
    while (!watch.complete() && bench.simulation.events().now() < begun + core::sim_time::from_us(200)) {
        bench.simulation.run_to(bench.simulation.events().now() + look);
        watch.look();
    }
    bench.finish();
    bench.machine.gpus().profile().set_observer(nullptr);
    if (wrong != 0) throw std::runtime_error("the reader did not get what was written");
    if (moves.all.size() != 1) throw std::runtime_error(fmt::format("{} pages moved", moves.all.size()));
    watched_move seen = watch.result();
    seen.at[static_cast<std::size_t>(sight::local)] = reads.first;
    seen.remote_reads = reads.across;
    seen.traced = moves.all.front();
    seen.look = look;
    return seen;
}

}  // namespace contraflow::validate
