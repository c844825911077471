// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "pcie/model/factor_cache.h"

namespace contraflow::pcie::model {
namespace {

constexpr double one_event = 1e-9;  // fraction of a message
constexpr double never = std::numeric_limits<double>::infinity();

void check_start(const communication& c, std::size_t number) {
    if (!std::isfinite(c.start_s) || c.start_s < 0.0)
        throw std::invalid_argument(fmt::format("communication {} starts at {} s", number, c.start_s));
}

}  // namespace

// It keeps its memory, its paths and its factors from run to run.
class timeline {
public:
    explicit timeline(const network& net) : net_(net), paths_(net), cache_(paths_) {}

    // All about this list; only once, as the peaks of ports are those of all runs.
    timeline_result run(std::span<const communication> list, const timeline_options& options) {
        follow(list, options);
        finish();
        return std::move(result_);
    }
    // Nothing if not all end.
    std::optional<double> end_s(std::span<const communication> list) {
        static const timeline_options times_only{0, {}, false};
        follow(list, times_only);
        return result_.status == timeline_result::outcome::finished ? std::optional(now_) : std::nullopt;
    }

private:
    struct sender {
        std::uint32_t source = 0;
        std::size_t communication = 0;
        double left_s = 0.0;  // remaining time at rate 1
        bool moved = false;   // has been through a step
    };
    struct start {
        double at_s = 0.0;
        std::uint32_t source = 0;
        bool operator<(const start& other) const {  // the queue's top is the earliest; among equals the lowest source
            return at_s != other.at_s ? at_s > other.at_s : source > other.source;
        }
    };

    void follow(std::span<const communication> list, const timeline_options& options) {
        list_ = list;
        options_ = &options;
        prepare();
        take_up(0.0);
        while (!sending_.empty() || !starts_.empty()) {
            if (options_->keep_going && (result_.step_count & 1023) == 0 && !options_->keep_going()) {
                result_.status = timeline_result::outcome::stopped;
                break;
            }
            if (sending_.empty()) {
                now_ = starts_.top().at_s;
                take_up(0.0);
                continue;
            }
            const cached_factors& factors = cache_.find(active_, options_->reasons);
            if (!step(factors)) break;
        }
    }

    double full_rate() const { return net_.reference().bytes_per_s; }
    double message_s(std::size_t c) const { return static_cast<double>(list_[c].size.count) / full_rate(); }

    // Rule A: each source's sends in order of start, then of the list.
    void prepare() {
        const auto earlier = [&](std::size_t a, std::size_t b) { return list_[a].start_s < list_[b].start_s; };
        order_.resize(list_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (!std::is_sorted(order_.begin(), order_.end(), earlier))
            std::stable_sort(order_.begin(), order_.end(), earlier);
        queue_.resize(net_.tree().size());
        for (auto& sends : queue_) sends.clear();
        head_.assign(net_.tree().size(), 0);
        path_.resize(list_.size());
        starts_ = {};
        sending_.clear();
        now_ = 0.0;
        result_.status = timeline_result::outcome::finished;
        result_.step_count = 0;
        result_.communications.assign(list_.size(), {});
        for (const std::size_t c : order_) {
            check_start(list_[c], c);
            path_[c] = find_path(paths_, list_[c].from, list_[c].to);
            queue_[list_[c].from].push_back(c);
            result_.communications[c].start_s = list_[c].start_s;
        }
        for (node_id source = 0; source < queue_.size(); ++source) await_next(source);
    }

    // Schedules a start for an idle source that has sends left.
    void await_next(node_id source) {
        if (head_[source] < queue_[source].size())
            starts_.push({std::max(now_, list_[queue_[source][head_[source]]].start_s), source});
    }

    // Begins every send that is due now, or so soon that it is the same event.
    void take_up(double same_event_s) {
        bool changed = false;
        while (!starts_.empty() && starts_.top().at_s <= now_ + same_event_s) {
            const std::uint32_t source = starts_.top().source;
            starts_.pop();
            const std::size_t c = queue_[source][head_[source]++];
            communication_result& r = result_.communications[c];
            r.begin_s = std::max(now_, list_[c].start_s);
            if (list_[c].size.count == 0) {  // no bytes: it ends at once
                r.end_s = r.begin_s;
                r.first_factor = r.average_factor = 1.0;
                await_next(source);
                continue;
            }
            if (options_->reasons && r.begin_s > r.start_s)
                add_lost(r, {reason::source, {source, true}, before_in_queue(source), {}}, r.begin_s - r.start_s);
            const sender s{source, c, message_s(c), false};
            sending_.insert(std::upper_bound(sending_.begin(), sending_.end(), s,
                                             [](const sender& a, const sender& b) { return a.source < b.source; }),
                            s);
            changed = true;
        }
        if (changed) refresh_active();
    }

    std::uint32_t before_in_queue(std::uint32_t source) const {
        const std::size_t place = head_[source] - 1;
        return place == 0 ? nobody : static_cast<std::uint32_t>(queue_[source][place - 1]);
    }

    void refresh_active() {
        active_.clear();
        for (const sender& s : sending_) active_.push_back(path_[s.communication]);
    }

    bool step(const cached_factors& factors) {
        double dt = starts_.empty() ? never : starts_.top().at_s - now_;
        const bool start_is_next = [&] {
            const double until_start = dt;
            for (std::size_t i = 0; i < sending_.size(); ++i)
                if (factors.rates[i] > 0.0) dt = std::min(dt, sending_[i].left_s / factors.rates[i]);
            return dt == until_start;
        }();
        if (dt == never) return stand_still(factors);
        const double to = start_is_next ? starts_.top().at_s : now_ + dt;
        if (result_.steps.size() < options_->recorded_steps) record(factors, to);
        ++result_.step_count;

        double same_event_s = 0.0;
        bool changed = false;
        for (std::size_t i = 0; i < sending_.size(); ++i) {
            sender& s = sending_[i];
            communication_result& r = result_.communications[s.communication];
            if (!s.moved) r.first_factor = factors.factors[i];
            s.moved = true;
            if (options_->reasons) account(r, factors, i, dt);
            s.left_s -= factors.rates[i] * dt;
            const double message = message_s(s.communication);
            if (s.left_s > one_event * message) continue;
            same_event_s = std::max(same_event_s, one_event * message);
            s.left_s = -1.0;
            changed = true;
            r.end_s = to;
        }
        now_ = to;
        if (changed) retire();
        take_up(same_event_s);
        return true;
    }

    static void add_lost(communication_result& r, const hold& cause, double lost_s) {
        r.lost_s[static_cast<std::size_t>(cause.why)] += lost_s;
        const auto same = [&](const lost_time& l) {
            return l.cause.why == cause.why && l.cause.port == cause.port && l.cause.behind == cause.behind;
        };
        const auto at = std::find_if(r.lost.begin(), r.lost.end(), same);
        if (at == r.lost.end())
            r.lost.push_back({cause, lost_s, 1.0});
        else
            at->lost_s += lost_s;
    }

    hold in_list(hold cause) const {
        if (cause.behind != nobody) cause.behind = static_cast<std::uint32_t>(sending_[cause.behind].communication);
        return cause;
    }

    // Causes multiply, so the time lost is divided by their logarithms.
    void account(communication_result& r, const cached_factors& factors, std::size_t i, double dt) {
        for (const loss& l : factors.losses[i])
            add_lost(r, in_list(l.cause), dt * (1.0 - factors.factors[i]) * l.share);
    }

    void retire() {
        for (const sender& s : sending_)
            if (s.left_s < 0.0) await_next(s.source);
        std::erase_if(sending_, [](const sender& s) { return s.left_s < 0.0; });
        refresh_active();
    }

    void record(const cached_factors& factors, double to) {
        time_step& made = result_.steps.emplace_back();
        made.from_s = now_;
        made.to_s = to;
        for (std::size_t i = 0; i < sending_.size(); ++i) {
            auto losses = options_->reasons ? factors.losses[i] : std::vector<loss>{};
            for (loss& l : losses) l.cause = in_list(l.cause);
            made.active.push_back({sending_[i].communication, factors.factors[i], factors.rates[i], std::move(losses)});
        }
    }

    bool stand_still(const cached_factors& factors) {
        result_.status = timeline_result::outcome::no_progress;
        result_.message = fmt::format("no progress after {} s: every active factor is 0", now_);
        for (std::size_t i = 0; options_->reasons && i < sending_.size(); ++i) {
            const communication& c = list_[sending_[i].communication];
            const hold cause = factors.losses[i].front().cause;
            result_.message += fmt::format("{} '{}' ({} -> {}) is held at {} ({})", i == 0 ? ";" : ",", c.name,
                                           net_.tree()[c.from].name, net_.tree()[c.to].name,
                                           net_.tree().port_name(cause.port), to_text(cause.why));
        }
        return false;
    }

    void finish() {
        result_.ports.resize(2 * net_.tree().size());
        result_.end_s = now_;
        for (std::size_t c = 0; c < list_.size(); ++c) {
            communication_result& r = result_.communications[c];
            if (!r.ended()) continue;
            if (r.time_s() > 0.0 && list_[c].size.count > 0)
                r.average_factor = message_s(c) / paths_[path_[c]].capacity / r.time_s();
            sort_causes(r);
            for (const port_index p : paths_.ports(path_[c]))
                result_.ports[net_.port(p).index()].bytes += list_[c].size.count;
        }
        for (port_index p = 0; p < net_.ports(); ++p) {
            const double peak = cache_.peak_loads()[p];
            result_.ports[net_.port(p).index()].peak_load = peak;
            if (peak > 1.0 + 1e-9) result_.overloads.push_back({net_.port(p), peak});
        }
    }

    static void sort_causes(communication_result& r) {
        double all = 0.0;
        for (const lost_time& l : r.lost) all += l.lost_s;
        if (all <= 0.0) return r.lost.clear();
        for (lost_time& l : r.lost) l.times = std::pow(1.0 / r.average_factor, l.lost_s / all);
        // Rounded, so that equal causes stay in the order in which they were met.
        std::stable_sort(r.lost.begin(), r.lost.end(), [all](const lost_time& a, const lost_time& b) {
            return std::llround(a.lost_s / all * 1e9) > std::llround(b.lost_s / all * 1e9);
        });
    }

    const network& net_;
    std::span<const communication> list_;
    const timeline_options* options_ = nullptr;
    path_table paths_;
    factor_cache cache_;
    std::vector<std::size_t> order_;               // by start
    std::vector<path_id> path_;                    // by communication
    std::vector<std::vector<std::size_t>> queue_;  // the sends of each node, in order
    std::vector<std::size_t> head_;                // ... the next to send
    std::priority_queue<start> starts_;            // starts of idle sources
    std::vector<sender> sending_;                  // by source
    std::vector<path_id> active_;
    double now_ = 0.0;
    timeline_result result_;
};

timeline_result run_timeline(const network& net, const std::vector<communication>& communications,
                             const timeline_options& options) {
    return timeline(net).run(communications, options);
}

order_timer::order_timer(const network& net) : timeline_(std::make_unique<timeline>(net)) {}
order_timer::~order_timer() = default;

std::optional<double> order_timer::end_s(std::span<const communication> communications) {
    return timeline_->end_s(communications);
}

}  // namespace contraflow::pcie::model
