// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/local_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "pcie/model/orders/jobs.h"
#include "pcie/model/orders/order_state.h"
#include "pcie/model/orders/speed_table.h"

namespace contraflow::pcie::model {
namespace {

constexpr std::uint64_t chains = 16;
constexpr std::uint64_t most_sampled = 2048;
constexpr double hottest = 0.02;  // share of a typical time: an order slower by this is accepted one time in e
constexpr double coldest = 0.0002;

struct chain_findings {
    timed_order fastest{forever, {}};
    timed_order slowest{0.0, {}};
    std::vector<order_curve::value> sample;
    std::uint64_t without_progress = 0;
    std::uint64_t simulated = 0;
};

template <std::size_t Slots> class chain {
public:
    chain(const order_space& space, const shared_speeds& speeds, std::uint64_t seed, std::uint64_t number)
        : space_(space),
          speeds_(space, speeds),
          random_(seed * chains + number),
          number_(number) {
        for (std::uint32_t s = 0; s < space.sources(); ++s)
            if (space.sends(s).size() >= 2) movable_.push_back(s);
    }

    void run(std::uint64_t evaluations, search_clock& clock) {
        const std::uint64_t sampled = std::min({evaluations, most_sampled / chains, 1 + evaluations / 4});
        for (std::uint64_t i = 0; i < sampled; ++i) {
            const send_order order = number_ == 0 && i == 0 ? given_order() : random_order();
            const double time = evaluate(order);
            if (time == forever) {
                ++found.without_progress;
                continue;
            }
            found.sample.push_back({time, 1});
            if (time > found.slowest.time_s) found.slowest = {time, order};
        }
        if (found.fastest.time_s == forever || movable_.empty()) return;
        timed_order here = found.fastest;
        const double typical = here.time_s;
        const double steps = static_cast<double>(evaluations - sampled);
        for (std::uint64_t i = sampled; i < evaluations; ++i) {
            const double done = static_cast<double>(i - sampled) / steps;
            if ((i & 255) == 0 && !clock.go_on(0.5 * done)) return;
            step(here, typical * hottest * std::pow(coldest / hottest, done));
        }
    }

    chain_findings found;

private:
    // Swaps two sends of one source, and swaps them back if the result is rejected.
    void step(timed_order& here, double temperature) {
        auto& sends = here.order[movable_[random_.below(movable_.size())]];
        const std::size_t a = random_.below(sends.size());
        std::size_t b = random_.below(sends.size() - 1);
        b += b >= a ? 1 : 0;
        std::swap(sends[a], sends[b]);
        const double time = evaluate(here.order);
        if (time <= here.time_s || random_.unit() < std::exp((here.time_s - time) / temperature))
            here.time_s = time;
        else
            std::swap(sends[a], sends[b]);
    }

    double evaluate(const send_order& order) {
        ++found.simulated;
        const double time = simulate(order);
        if (time < found.fastest.time_s) found.fastest = {time, order};
        return time;
    }

    double simulate(const send_order& order) {
        order_state<Slots> state(space_);
        std::array<std::uint8_t, Slots> begun{};
        while (!state.finished()) {
            for (; state.pending != 0;) {
                const auto source = static_cast<std::size_t>(std::countr_zero(state.pending));
                state.begin(space_, source, order[source][begun[source]++]);
            }
            if (!state.advance(space_, speeds_)) return forever;
        }
        return state.now;
    }

    // The sends as the problem lists them: what its user has today belongs to the sample.
    send_order given_order() const {
        send_order order;
        for (std::size_t s = 0; s < space_.sources(); ++s) {
            auto& sends = order.emplace_back(space_.sends(s).size());
            std::iota(sends.begin(), sends.end(), 0u);
        }
        return order;
    }

    send_order random_order() {
        send_order order;
        for (std::size_t s = 0; s < space_.sources(); ++s) {
            auto& sends = order.emplace_back(space_.sends(s).size());
            std::iota(sends.begin(), sends.end(), 0u);
            core::shuffle(sends, random_);
        }
        return order;
    }

    const order_space& space_;
    speed_table<Slots> speeds_;
    core::random_source random_;
    std::uint64_t number_;
    std::vector<std::uint32_t> movable_;
};

template <std::size_t Slots>
local_findings run_chains(const order_space& space, const search_options& options, search_clock& clock) {
    const shared_speeds speeds(space, Slots, options.evaluations, options.jobs);
    std::vector<chain_findings> by_chain(chains);
    run_jobs(options.jobs, chains, [&](std::uint64_t first, auto take) {
        for (std::uint64_t number = first; number < chains; number = take()) {
            chain<Slots> c(space, speeds, options.seed, number);
            c.run(std::max<std::uint64_t>(1, options.evaluations / chains), clock);
            by_chain[number] = std::move(c.found);
        }
    });
    local_findings all;
    all.fastest.time_s = forever;
    std::vector<order_curve::value> sample;
    for (const chain_findings& f : by_chain) {
        if (f.fastest.time_s < all.fastest.time_s) all.fastest = f.fastest;
        if (f.slowest.time_s > all.slowest.time_s) all.slowest = f.slowest;
        sample.insert(sample.end(), f.sample.begin(), f.sample.end());
        all.without_progress += f.without_progress;
        all.simulated += f.simulated;
    }
    all.sample = order_curve(std::move(sample));
    return all;
}

}  // namespace

local_findings search_locally(const order_space& space, const search_options& options, search_clock& clock) {
    return with_slots(space.sources(),
                      [&](auto slots) { return run_chains<decltype(slots)::value>(space, options, clock); });
}

}  // namespace contraflow::pcie::model
