// SPDX-License-Identifier: Apache-2.0
#include "runner/run.h"

#include <exception>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "face/command_line/errors.h"

namespace contraflow::runner {
namespace {

using verdict = observe::watchdog::verdict;

// An exception inside is the run's fault, unless the machine turned out to be too small.
void take_fault(bench& on, run_outcome& r) {
    try {
        on.rethrow(r.verdict == verdict::finished);
    } catch (const std::bad_alloc&) { throw; } catch (const std::exception& e) {
        if (on.is_capacity_error(e)) throw;
        r.fault_at = r.end;
        r.fault = on.fault_text(e, r.fault_at);
    }
}

// Another thread may still use the bench: then it is never destroyed.
class kept_bench {
public:
    kept_bench(std::unique_ptr<bench> on, const limits& l, run_outcome& r) : bench_(std::move(on)), l_(l), r_(r) {}

    bench& operator*() { return *bench_; }
    // False: stopped during the work, and the bench must not be used any more.
    bool do_host_work(const char* what, std::function<void()> work) {
        if (!l_.carry_out) {
            work();
        } else if (!l_.carry_out(std::move(work))) {
            r_.verdict = verdict::stopped;
            r_.stopped_while = what;
            static_cast<void>(bench_.release());
        }
        return bench_ != nullptr;
    }

private:
    std::unique_ptr<bench> bench_;
    const limits& l_;
    run_outcome& r_;
};

}  // namespace

limits limits_of(face::run_context& context, core::sim_time watchdog, std::string_view unit) {
    limits l;
    l.watchdog = watchdog;
    l.time = context.limit_time();
    l.keep_going = [&context] { return context.keep_going(); };
    l.progress = [&context, unit](core::sim_time now, std::uint64_t done, std::uint64_t total) {
        context.progress(now, done, total, unit);
    };
    l.carry_out = [&context](std::function<void()> work) { return context.carry_out(std::move(work)); };
    return l;
}

void simulate(bench& on, const limits& l, run_outcome& r) {
    observe::run_limits limits = l;
    limits.keep_going = [&] {
        if (l.progress) l.progress(on.simulation.events().now(), on.done(), on.total());
        return !l.keep_going || l.keep_going();
    };
    static_cast<observe::run_end&>(r) = observe::run_watched(on.simulation,
                                                             {.waiters = on.waiters(),
                                                              .moved = [&on] { return on.moved(); },
                                                              .outstanding = [&on] { return on.outstanding(); },
                                                              .interventions = on.interventions()},
                                                             limits);
}

void run(std::unique_ptr<bench> of, const limits& l, run_outcome& r) {
    kept_bench kept(std::move(of), l, r);
    bench& on = *kept;
    if (!kept.do_host_work("its data was made", [&on] { on.prepare(); })) return;
    on.ready();
    // Parts of a machine may go on for a while after its program: only their work up to its end counts.
    bool ended = false;
    const auto sum_up = [&](core::sim_time end) {
        r.end = end;
        on.sum_up(end);
        r.statistics = on.rows(end);
    };
    on.start([&] {
        ended = true;
        sum_up(on.simulation.events().now());
    });
    try {
        simulate(on, l, r);
    } catch (const std::exception& e) {
        if (!on.is_fault(e)) throw;
        r.fault_at = on.simulation.events().now();
        r.fault = on.fault_text(e, r.fault_at);
    }
    if (!ended) sum_up(on.end_of(on.simulation.events().now(), r.verdict == verdict::finished));
    on.stopped(on.simulation.events().now());
    if (r.fault.empty()) take_fault(on, r);
    r.callbacks = on.simulation.events().executed();
    if (!r.complete()) return;
    observe::conservation checks;
    on.check(checks);
    r.conservation = checks.checks();
    // Not into `r`: a thread that was stopped may still write.
    const auto wrong = std::make_shared<std::string>();
    if (kept.do_host_work("its result was checked", [&on, wrong] { *wrong = on.verify(); })) r.wrong = *wrong;
}

std::size_t one_by_one(face::run_context& context, std::size_t count, std::string_view unit,
                       const std::function<bool(std::size_t)>& work) {
    std::size_t done = 0;
    while (done < count && context.keep_going()) {
        context.progress({}, done, count, unit);
        if (!work(done)) break;
        ++done;
    }
    return done;
}

int exit_code_of(const run_outcome& r) {
    // After a fault, components wait because of the fault.
    if (!r.difference.empty() || !r.fault.empty()) return face::exit_checks_failed;
    if (r.hung()) return face::exit_no_progress;
    if (r.verdict != verdict::finished) return face::exit_stopped;
    return r.verified() ? face::exit_ok : face::exit_checks_failed;
}

void add_statistics(run_outcome& r, const std::string& prefix, face::report_data& report) {
    for (auto& row : r.statistics) {
        row.path = fmt::format("{}.{}", prefix, row.path);
        report.statistics.push_back(std::move(row));
    }
    r.statistics.clear();
}

int judge(const run_outcome& r, const std::string& what, face::run_context& context) {
    auto& report = context.report();
    context.count_callbacks(r.callbacks);
    for (const auto& c : r.conservation)
        report.conservation.push_back({fmt::format("{}: {}", what, c.name), c.unit, c.in, c.out});
    if (!r.fault.empty())
        report.headline.push_back(fmt::format("{}: FAULT at {}: {}", what, core::rounded_text(r.fault_at), r.fault));
    if (!r.difference.empty()) report.headline.push_back(fmt::format("{}: {}", what, r.difference));
    if (!r.fault.empty() || !r.difference.empty()) return exit_code_of(r);
    if (r.hung()) {
        report.headline.push_back(fmt::format("{}: no progress: {}", what, r.hang));
        for (const auto& line : r.wait_chain) report.headline.push_back("  " + line);
    } else if (r.verdict != verdict::finished) {
        report.headline.push_back(r.stopped_while.empty()
                                      ? fmt::format("{}: stopped at {}", what, core::rounded_text(r.end))
                                      : fmt::format("{}: stopped while {}", what, r.stopped_while));
    } else if (!r.wrong.empty()) {
        report.headline.push_back(fmt::format("{}: WRONG RESULT: {}", what, r.wrong));
    }
    return exit_code_of(r);
}

std::string verdict_text(const run_outcome& r) {
    if (!r.fault.empty()) return "fault";
    if (!r.complete()) return "not ended";
    return r.wrong.empty() ? "verified" : "WRONG";
}

void require_verified(const std::string& what, const run_outcome& r) {
    if (!r.fault.empty()) throw std::runtime_error(fmt::format("{}: {}", what, r.fault));
    if (!r.complete()) {
        std::string text = what + ": no end";
        for (const auto& line : r.wait_chain) text += "; " + line;
        throw std::runtime_error(text);
    }
    if (!r.wrong.empty()) throw std::runtime_error(fmt::format("{}: wrong result: {}", what, r.wrong));
    for (const auto& c : r.conservation)
        if (!c.held()) throw std::runtime_error(fmt::format("{}: {}: {}", what, c.name, c.difference()));
}

}  // namespace contraflow::runner
