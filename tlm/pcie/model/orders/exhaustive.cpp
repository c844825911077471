// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/exhaustive.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "pcie/model/orders/jobs.h"
#include "pcie/model/orders/order_curve.h"
#include "pcie/model/orders/order_state.h"
#include "pcie/model/orders/search_clock.h"
#include "pcie/model/orders/speed_table.h"

namespace contraflow::pcie::model {
namespace {

// Candidates for the lowest rank among the orders of lowest cost, before the lowest cost is known.
class best_order {
public:
    void offer(double cost, std::uint64_t rank) {
        if (!(cost <= limit_)) return;
        for (const entry& e : front_)
            if (e.cost <= cost && e.rank <= rank) return;
        std::erase_if(front_, [&](const entry& e) { return cost <= e.cost && rank <= e.rank; });
        front_.push_back({cost, rank});
        limit_ = std::min(limit_, cost + equal_within * std::abs(cost));
        std::erase_if(front_, [&](const entry& e) { return e.cost > limit_; });
    }
    void offer(const best_order& other) {
        for (const entry& e : other.front_) offer(e.cost, e.rank);
    }
    bool empty() const { return front_.empty(); }
    std::uint64_t rank() const {
        return std::min_element(front_.begin(), front_.end(), [](auto& a, auto& b) { return a.rank < b.rank; })->rank;
    }

private:
    struct entry {
        double cost;
        std::uint64_t rank;
    };
    std::vector<entry> front_;
    double limit_ = forever;
};

struct findings {
    std::vector<order_curve::value> times;
    best_order fastest;
    best_order slowest;
    std::uint64_t without_progress = 0;
    std::uint64_t simulated = 0;
};

// The first sends of all sources, and the number of choices equivalent to it by symmetry.
struct opening {
    std::vector<std::uint8_t> sends;
    std::uint64_t weight = 0;
};

std::vector<opening> distinct_openings(const order_space& space, std::uint64_t orders) {
    const std::size_t n = space.sources();
    double choices = 1.0;
    for (std::size_t s = 0; s < n; ++s) choices *= static_cast<double>(std::max<std::size_t>(1, space.sends(s).size()));
    // Not worth while if few orders share an opening.
    const bool use_symmetries =
        choices * static_cast<double>(space.symmetries().size()) <= 16.0 * static_cast<double>(orders);
    const std::size_t used = use_symmetries ? space.symmetries().size() : 1;

    std::vector<opening> openings;
    std::vector<std::uint8_t> sends(n, 0);
    std::vector<std::uint8_t> image(n, 0);
    for (bool more = true; more;) {
        std::uint64_t fixed = 1;  // symmetries that map it to itself; the first is the identity
        bool smallest = true;
        for (std::size_t s = 0; s < n && smallest; ++s)
            smallest = space.sends(s).empty() || space.twins_before(s, sends[s]) == 0;
        for (std::size_t g = 1; g < used && smallest; ++g) {
            const order_symmetry& symmetry = space.symmetries()[g];
            for (std::size_t s = 0; s < n; ++s)
                image[symmetry.source[s]] =
                    space.sends(s).empty()
                        ? std::uint8_t{0}
                        : space.first_twin(symmetry.source[s], static_cast<std::uint8_t>(symmetry.send[s][sends[s]]));
            smallest = !(image < sends);
            fixed += image == sends ? 1 : 0;
        }
        if (smallest) openings.push_back({sends, used / fixed});
        more = false;
        for (std::size_t s = n; s-- > 0 && !more;) {
            more = static_cast<std::size_t>(sends[s]) + 1 < space.sends(s).size();
            sends[s] = more ? static_cast<std::uint8_t>(sends[s] + 1) : std::uint8_t{0};
        }
    }
    return openings;
}

template <std::size_t Slots> class explorer {
public:
    explorer(const order_space& space, const shared_speeds& speeds) : space_(space), speeds_(space, speeds) {}

    void explore(const opening& first) {
        weight_ = first.weight;
        order_state<Slots> state(space_);
        for (std::size_t s = 0; s < space_.sources(); ++s)
            if (!space_.sends(s).empty()) state.begin(space_, s, first.sends[s]);
        go_on(state);
    }

    findings found;

private:
    void choose(const order_state<Slots>& state) {
        const auto source = static_cast<std::size_t>(std::countr_zero(state.pending));
        for (std::uint64_t todo = space_.choices(source, state.todo[source]); todo != 0; todo &= todo - 1) {
            order_state<Slots> next = state;
            next.begin(space_, source, static_cast<unsigned>(std::countr_zero(todo)));
            next.pending != 0 ? choose(next) : go_on(next);
        }
    }

    void go_on(order_state<Slots>& state) {
        ++found.simulated;
        if (!state.advance(space_, speeds_)) return stuck(state);
        if (state.pending != 0) return choose(state);
        found.times.push_back({state.now, weight_});
        if (found.times.size() >= full_) {
            merge_equal(found.times);
            full_ = std::max(full_, 2 * found.times.size());
        }
        found.fastest.offer(state.now, state.rank);
        found.slowest.offer(-state.now, state.rank);
    }

    // All orders that begin like this.
    void stuck(const order_state<Slots>& state) {
        order_problem left(space_.sources());
        for (std::size_t s = 0; s < space_.sources(); ++s)
            for (std::uint64_t todo = state.todo[s]; todo != 0; todo &= todo - 1)
                left[s].sends.push_back(space_.problem()[s].sends[static_cast<std::size_t>(std::countr_zero(todo))]);
        found.without_progress += weight_ * *count_orders(left);
    }

    const order_space& space_;
    speed_table<Slots> speeds_;
    std::uint64_t weight_ = 0;
    std::size_t full_ = std::size_t{1} << 20;
};

template <std::size_t Slots>
findings explore_all(const order_space& space, const std::vector<opening>& openings, std::uint64_t orders,
                     const search_options& options, search_clock& clock) {
    // Beyond this number of sets, or if there are more sets than orders, each thread has its own cache.
    const std::uint64_t most_codes =
        std::min<std::uint64_t>((std::uint64_t{64} << 20) / (Slots * sizeof(double)), 8 * orders);
    const shared_speeds speeds(space, Slots, most_codes, options.jobs);
    findings all;
    std::mutex merging;
    run_jobs(options.jobs, openings.size(), [&](std::uint64_t first, auto take) {
        explorer<Slots> e(space, speeds);
        for (std::uint64_t task = first; task < openings.size(); task = take()) {
            e.explore(openings[task]);
            if (!clock.go_on(static_cast<double>(task) / static_cast<double>(openings.size()))) break;
        }
        const std::lock_guard lock(merging);
        all.times.insert(all.times.end(), e.found.times.begin(), e.found.times.end());
        all.fastest.offer(e.found.fastest);
        all.slowest.offer(e.found.slowest);
        all.without_progress += e.found.without_progress;
        all.simulated += e.found.simulated;
    });
    return all;
}

}  // namespace

search_result try_every_order(const order_space& space, std::uint64_t orders, const search_options& options) {
    search_result result;
    search_clock clock(options);
    const auto openings = distinct_openings(space, orders);
    findings all = with_slots(space.sources(), [&](auto slots) {
        return explore_all<decltype(slots)::value>(space, openings, orders, options, clock);
    });
    result.stopped = clock.stopped();
    result.orders = static_cast<double>(orders);
    result.exhaustive = !result.stopped;
    result.simulated = all.simulated;
    result.without_progress = all.without_progress;
    result.curve = order_curve(std::move(all.times));
    if (!all.fastest.empty()) {
        result.fastest = {result.curve.fastest(), order_at(space.problem(), all.fastest.rank())};
        result.slowest = {result.curve.slowest(), order_at(space.problem(), all.slowest.rank())};
    }
    result.proven = result.exhaustive;
    if (result.proven) result.bound_s = result.fastest.time_s;
    return result;
}

}  // namespace contraflow::pcie::model
