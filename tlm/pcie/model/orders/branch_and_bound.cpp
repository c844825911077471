// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/branch_and_bound.h"

#include <algorithm>

#include "pcie/model/orders/jobs.h"
#include "pcie/model/orders/order_bound.h"
#include "pcie/model/orders/order_curve.h"
#include "pcie/model/orders/order_state.h"
#include "pcie/model/orders/speed_table.h"

namespace contraflow::pcie::model {
namespace {

constexpr std::size_t wave = 32;  // choices followed in parallel
constexpr std::uint64_t nodes_each = 1000;
constexpr std::size_t most_open = 100'000;  // stored choices; with more the search ends

template <std::size_t Slots> struct open_choice {
    order_state<Slots> state;
    double bound = 0.0;
    // The sends of each source so far, in order; the state does not contain them.
    std::vector<std::uint8_t> history;  // source, send, source, send, ...
};

template <std::size_t Slots> struct follow_up {
    std::vector<open_choice<Slots>> open;  // choices left when the budget was used up, the deepest last
    double fastest = forever;
    std::vector<std::uint8_t> history;
    std::uint64_t nodes = 0;
};

template <std::size_t Slots> class follower {
public:
    follower(const order_space& space, const shared_speeds& speeds)
        : space_(space),
          speeds_(space, speeds),
          bound_(space) {}

    follow_up<Slots> follow(open_choice<Slots> from, double incumbent) {
        follow_up<Slots> result;
        double limit = incumbent * (1.0 - equal_within);
        result.open.push_back(std::move(from));
        std::vector<open_choice<Slots>> next;
        while (!result.open.empty() && result.nodes < nodes_each) {
            const open_choice<Slots> here = std::move(result.open.back());
            result.open.pop_back();
            if (here.bound >= limit) continue;
            ++result.nodes;
            next.clear();
            choices(here, next);
            // The best comes last, so that it is popped first.
            std::stable_sort(next.begin(), next.end(), [](auto& a, auto& b) { return a.bound > b.bound; });
            for (auto& n : next) {
                if (n.bound >= limit) continue;
                if (n.state.finished()) {
                    result.fastest = n.state.now;
                    result.history = n.history;
                    limit = n.state.now * (1.0 - equal_within);
                } else {
                    result.open.push_back(std::move(n));
                }
            }
        }
        return result;
    }

private:
    void choices(const open_choice<Slots>& here, std::vector<open_choice<Slots>>& next) {
        const auto source = static_cast<std::size_t>(std::countr_zero(here.state.pending));
        for (std::uint64_t todo = space_.choices(source, here.state.todo[source]); todo != 0; todo &= todo - 1) {
            const auto send = static_cast<unsigned>(std::countr_zero(todo));
            open_choice<Slots> n = here;
            n.state.begin(space_, source, send);
            n.history.push_back(static_cast<std::uint8_t>(source));
            n.history.push_back(static_cast<std::uint8_t>(send));
            if (n.state.pending == 0 && !n.state.advance(space_, speeds_)) continue;  // never ends
            n.bound = std::max(here.bound, n.state.finished() ? n.state.now : bound_.of(n.state));
            next.push_back(std::move(n));
        }
    }

    const order_space& space_;
    speed_table<Slots> speeds_;
    order_bound bound_;
};

// The last of a source's sends begins by itself and is not in the history.
send_order order_of(const order_space& space, const std::vector<std::uint8_t>& history) {
    send_order order(space.sources());
    for (std::size_t i = 0; i + 1 < history.size(); i += 2) order[history[i]].push_back(history[i + 1]);
    for (std::size_t s = 0; s < space.sources(); ++s)
        for (std::uint32_t send = 0; send < space.sends(s).size(); ++send)
            if (std::find(order[s].begin(), order[s].end(), send) == order[s].end()) order[s].push_back(send);
    return order;
}

template <std::size_t Slots>
bound_findings run_waves(const order_space& space, const timed_order& incumbent, const search_options& options,
                         search_clock& clock) {
    bound_findings found{incumbent, 0.0, false, 0};
    const shared_speeds speeds(space, Slots, options.nodes, options.jobs);
    const order_state<Slots> start(space);
    std::vector<open_choice<Slots>> open{{start, order_bound(space).of(start), {}}};
    const auto still_open = [&] {
        std::erase_if(open, [&](auto& o) { return o.bound >= found.fastest.time_s * (1.0 - equal_within); });
        std::stable_sort(open.begin(), open.end(), [](auto& a, auto& b) { return a.bound < b.bound; });
        return !open.empty();
    };
    while (still_open() && found.simulated < options.nodes && open.size() <= most_open) {
        if (!clock.go_on(0.5 + 0.5 * static_cast<double>(found.simulated) / static_cast<double>(options.nodes))) break;
        const std::size_t taken = std::min(wave, open.size());
        std::vector<follow_up<Slots>> followed(taken);
        run_jobs(options.jobs, taken, [&](std::uint64_t first, auto take) {
            follower<Slots> f(space, speeds);
            for (std::uint64_t i = first; i < taken; i = take())
                followed[i] = f.follow(std::move(open[i]), found.fastest.time_s);
        });
        open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(taken));
        for (follow_up<Slots>& f : followed) {
            found.simulated += f.nodes;
            if (f.fastest < found.fastest.time_s) found.fastest = {f.fastest, order_of(space, f.history)};
            std::move(f.open.begin(), f.open.end(), std::back_inserter(open));
        }
    }
    found.proven = !still_open();
    found.bound_s = found.proven ? found.fastest.time_s : std::min(open.front().bound, found.fastest.time_s);
    return found;
}

}  // namespace

bound_findings branch_and_bound(const order_space& space, const timed_order& incumbent, const search_options& options,
                                search_clock& clock) {
    return with_slots(space.sources(),
                      [&](auto slots) { return run_waves<decltype(slots)::value>(space, incumbent, options, clock); });
}

}  // namespace contraflow::pcie::model
