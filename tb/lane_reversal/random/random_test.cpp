// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/random/random_test.h"

#include <fmt/format.h>

#include "lane_reversal/stimulus/programming.h"
#include "lane_reversal/stimulus/random_settings.h"
#include "lane_reversal/stimulus/traffic.h"
#include "lib/apb.h"

namespace contraflow::lane_reversal {
namespace {

class test {
public:
    test(bench& b, coverage_model* cover, const random_options& o)
        : bench_(b),
          options_(o),
          random_(core::mix64(o.seed)),
          traffic_gate_(static_cast<lib::pattern>(random_.below(4))),
          traffic_(random_.next(), b.parameters().lanes_per_direction, traffic_gate_),
          bus_(random_.next(), static_cast<lib::pattern>(random_.below(4)), true) {
        if (cover != nullptr) {
            constexpr cover_point first = cover_point::load_gate_none;
            cover->hit(static_cast<cover_point>(static_cast<unsigned>(first) + static_cast<unsigned>(traffic_gate_)));
        }
        launch_every_ = 50 + random_.below(2000);
        fault_every_ = random_.below(2) == 0 ? 0 : 200 + random_.below(3000);
        access_every_ = random_.below(3) == 0 ? 0 : 2 + random_.below(60);
        reset_every_ = random_.below(3) == 0 ? 300 + random_.below(1000) : 0;
        elsewhere_ = !o.model_only && random_.below(4) == 0;
    }

    bool run() {
        if (!begin()) return false;
        for (std::uint64_t i = 0; i < options_.cycles; ++i)
            if (!cycle()) return false;
        return finish();
    }

private:
    bool begin() {
        if (!bench_.reset()) return false;
        const settings& own = bench_.parameters().reset;
        const bool as_reset = random_.below(4) == 0 && !options_.model_only;
        settings drawn = random_settings(random_, bench_.parameters());
        // Most tests of a parameter set should use the feature that the set is made for.
        if (own.min_lanes != settings{}.min_lanes && random_.below(4) != 0) drawn.min_lanes = own.min_lanes;
        if (!as_reset && !program(bench_, drawn)) return false;
        traffic_.set_phase_unit(2 + bench_.ref().holding().sample_time);
        // Some cycles in which nothing is counted, for any phits on the lanes and any missing lane.
        const std::uint64_t idle = random_.below(6);
        for (std::uint64_t i = 0; i <= idle; ++i) {
            bench_.edge();
            inputs in = alive();
            in.a_valid = bench_.seen().a_serve & static_cast<std::uint32_t>(random_.next());
            in.launch = i == idle;
            if (!options_.model_only && !in.launch && random_.below(2) == 0) in.fault = some_lanes();
            if (!options_.model_only && in.launch && random_.below(12) == 0) in.fault = some_lanes();
            if (!bench_.drive(in)) return false;
        }
        levels_ = 0;
        return true;
    }

    inputs alive() const {
        inputs in;
        in.rst_n = true;
        return in;
    }

    std::uint32_t some_lanes() {
        const unsigned lanes = bench_.parameters().lanes();
        std::uint32_t mask = 1u << random_.below(lanes);
        while (random_.below(4) == 0) mask |= 1u << random_.below(lanes);
        return mask;
    }

    // Seldom; far more often in a cycle with another event.
    bool strikes(std::uint64_t every, bool moment) {
        if (every == 0) return false;
        return random_.below(moment ? 2 + every / 25 : every) == 0;
    }

    bool cycle() {
        bench_.edge();
        const outputs& now = bench_.seen();
        const reference& ref = bench_.ref();
        inputs in = alive();
        link_view v{now.a_serve,       now.b_serve,           ref.cycle_of_window(),   ref.holding().sample_time,
                    ref.busy_before(), ref.capacity_before(), ref.holding().threshold, now.turning != 0};
        const traffic::masks m = traffic_.next(v);
        in.a_valid = m.ab;
        in.b_valid = m.ba;
        if (elsewhere_) {
            in.a_valid |= static_cast<std::uint32_t>(random_.next()) & bench_.parameters().all_lanes() & ~now.a_serve;
            in.b_valid |= static_cast<std::uint32_t>(random_.next()) & bench_.parameters().all_lanes() & ~now.b_serve;
        }
        const bool boundary = v.cycle_of_window + 1 >= v.sample_time;
        const bool moment = boundary || now.turning != turning_ || ref.out().pending != 0 || ref.will_decide();
        turning_ = now.turning;
        in.launch = strikes(launch_every_, moment);
        if (!options_.model_only) disturb(in, now, moment);
        if (!bench_.drive(in)) return false;
        bus_.ended(bench_.seen().pready);
        if (in.rst_n) return true;
        bus_.reset();
        // After a reset, the block is not launched.
        return begin();
    }

    void disturb(inputs& in, const outputs& now, bool moment) {
        if (strikes(fault_every_, moment)) {
            const std::uint32_t mask = random_.below(3) == 0 ? ~(now.a_serve | now.b_serve) : some_lanes();
            in.fault = mask & bench_.parameters().all_lanes();
            if (random_.below(2) == 0) levels_ |= in.fault;  // stays up
        }
        in.fault |= levels_;
        if (bus_.waiting() < 4 && strikes(access_every_, moment)) bus_.add(random_access(random_, bench_.parameters()));
        bus_.drive(in, moment);
        if (strikes(reset_every_, moment)) in.rst_n = false;
    }

    // No more inputs come: pending turns and transactions must end within a known time.
    bool finish() {
        const settings& s = bench_.ref().holding();
        std::uint64_t left = 2 * (s.sync_latency + s.drain + s.switch_time) + 600 + 2 * s.sample_time;
        const auto busy = [&] {
            const outputs& o = bench_.ref().out();
            return o.turning != 0 || o.pending != 0 || !bus_.idle();
        };
        unsigned more = decision_cycles;  // a window may have ended just now
        while (busy() || more > 0) {
            if (more > 0) --more;
            if (left-- == 0) {
                bench_.complain("end.unfinished", "a turn or a register access does not end");
                return false;
            }
            bench_.edge();
            inputs in = alive();
            in.fault = levels_;
            bus_.drive(in, true);
            if (!bench_.drive(in)) return false;
            bus_.ended(bench_.seen().pready);
        }
        bench_.finish();
        return bench_.found().empty();
    }

    bench& bench_;
    const random_options options_;
    core::random_source random_;
    const lib::pattern traffic_gate_;
    traffic traffic_;
    lib::apb_master bus_;
    std::uint64_t launch_every_, fault_every_, access_every_, reset_every_;
    bool elsewhere_;  // phits on lanes that the end does not serve, too: they must not count
    std::uint32_t levels_ = 0;
    unsigned turning_ = 0;
};

}  // namespace

bool run_random(bench& b, coverage_model* cover, const random_options& o) { return test(b, cover, o).run(); }

}  // namespace contraflow::lane_reversal
