// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/exchange_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "face/errors.h"
#include "pcie/model/factors.h"
#include "pcie/model/timeline.h"
#include "pcie_tree/model_report.h"
#include "pcie_tree/search_report.h"
#include "pcie_tree/tlm_report.h"
#include "pcie_tree/tlm_run.h"

namespace contraflow::pcie_tree {
namespace {

using pcie::model::communication;
using pcie::model::timeline_result;

constexpr double worth_a_warning = 0.15;     // the published model's own accuracy
constexpr std::size_t recorded_steps = 400;  // enough to read; all are counted

class exchange {
public:
    exchange(const experiment& settings, const pcie::topology& tree, const std::vector<communication>& sends,
             face::run_context& context)
        : settings_(settings),
          tree_(tree),
          sends_(sends),
          context_(context),
          report_(context.report()),
          net_(network_of(settings, tree)) {}

    int run() {
        refuse_what_needs_tlm();
        report_.title = fmt::format("{} sends between {} endpoints", sends_.size(), tree_.endpoints().size());
        if (model()) report_.levels.emplace_back("closed form", "PCIe congestion factors");
        if (tlm()) report_.levels.emplace_back("TLM", "packets, credits, buffers");
        const auto problem = wanted_problem();
        return problem ? search(*problem) : once();
    }

private:
    bool model() const { return settings_.level != evaluation_level::tlm; }
    bool tlm() const { return settings_.level != evaluation_level::model; }

    void refuse_what_needs_tlm() const {
        if (tlm()) return;
        constexpr auto advice = "the closed-form model has none (--set level=tlm, or both)";
        if (context_.trace() != nullptr) throw face::usage_error(fmt::format("--trace shows packets: {}", advice));
        if (context_.waves() != nullptr) throw face::usage_error(fmt::format("--wave shows signals: {}", advice));
        if (context_.limit_time() != core::sim_time::never())
            throw face::usage_error(fmt::format("--limit-time ends a simulation: {}", advice));
    }

    std::optional<pcie::model::order_problem> wanted_problem() {
        if (settings_.search.mode == search_mode::none) return std::nullopt;
        auto found = order_problem_of(sends_);
        if (found.obstacle.empty()) return std::move(found.problem);
        if (settings_.search.mode != search_mode::automatic)
            throw face::usage_error(
                fmt::format("no order to search for: {} (search.mode: none leaves the search out)", found.obstacle));
        return std::nullopt;
    }

    timeline_result evaluate(const std::vector<communication>& sends) {
        pcie::model::timeline_options options;
        options.recorded_steps = recorded_steps;
        options.keep_going = [this] { return context_.keep_going(); };
        auto result = run_timeline(net_, sends, options);
        for (const auto& o : result.overloads) {
            auto text = overload_text(net_, o);
            if (std::find(report_.warnings.begin(), report_.warnings.end(), text) == report_.warnings.end())
                report_.warnings.push_back(std::move(text));
        }
        return result;
    }

    tlm_result simulate(const std::vector<communication>& sends, bool observed) {
        tlm_options options;
        options.limit = context_.limit_time();
        options.window = {settings_.window.from, settings_.window.to};
        if (observed) {
            options.trace = context_.trace();
            options.waves = context_.waves();
        }
        options.keep_going = [this] { return context_.keep_going(); };
        options.progress = [this](core::sim_time now, std::uint64_t done, std::uint64_t total) {
            context_.progress(now, done, total, "B");
        };
        auto r = run_tlm(tree_, settings_.tlm, sends, options);
        context_.count_callbacks(r.callbacks);
        return r;
    }

    // Exit code of one TLM run; its words in the report if it did not end well.
    int judge(const tlm_result& r, const std::string& what) {
        using verdict = observe::watchdog::verdict;
        for (const auto& c : r.conservation)
            report_.conservation.push_back({what + ": " + c.name, c.unit, c.in, c.out});
        switch (r.verdict) {
        case verdict::finished: return face::exit_ok;
        case verdict::time_limit:
        case verdict::stopped: return face::exit_stopped;
        case verdict::stalled:
        case verdict::ran_dry: break;
        }
        report_.headline.push_back(fmt::format("{}: no progress since {}", what, to_text(r.end)));
        for (const auto& line : r.wait_chain) report_.headline.push_back("  " + line);
        return face::exit_no_progress;
    }

    int judge(const timeline_result& r) {
        if (r.status == timeline_result::outcome::stopped) return face::exit_stopped;
        if (r.status == timeline_result::outcome::finished) return face::exit_ok;
        report_.headline.push_back("closed form: " + r.message);
        return face::exit_no_progress;
    }

    // The communications as they stand.
    int once() {
        int code = face::exit_ok;
        std::optional<timeline_result> closed;
        std::optional<tlm_result> packets;
        if (model()) {
            closed = evaluate(sends_);
            code = std::max(code, judge(*closed));
            report_.headline.push_back(
                fmt::format("closed form: {} sends end after {:.4g} ms", sends_.size(), closed->end_s * 1e3));
            name_worst(*closed);
            const model_view view{net_, sends_, *closed};
            report_.sections.push_back(model_section(view, "model", "Closed-form model", detail::whole));
            report_.results["model"] = model_results(view);
        }
        if (tlm()) {
            packets = simulate(sends_, true);
            code = std::max(code, judge(*packets, "TLM"));
            if (packets->complete())
                report_.headline.push_back(fmt::format("TLM: {} sends end after {:.4g} ms, every byte compared",
                                                       sends_.size(), packets->makespan_s() * 1e3));
            add_packets(*packets, sends_, "tlm", "TLM model", detail::whole);
            report_.results["tlm"] = tlm_results(*packets);
        }
        if (closed && packets && packets->complete() && closed->status == timeline_result::outcome::finished) {
            warn_of_disagreement("as configured", sends_, *closed, *packets);
            report_.sections.push_back(
                comparison_section(net_, sends_, *closed, *packets, "comparison", "Closed form against TLM"));
        }
        return code;
    }

    void warn_of_disagreement(const std::string& what, const std::vector<communication>& sends,
                              const timeline_result& closed, const tlm_result& packets) {
        std::size_t apart = 0;
        std::size_t worst = 0;
        double largest = 0;
        for (std::size_t i = 0; i < sends.size(); ++i) {
            const auto& s = packets.streams[i];
            if (!closed.communications[i].ended() || !s.done()) continue;
            const double difference = (s.finished - s.start).seconds() / closed.communications[i].time_s() - 1;
            if (std::abs(difference) <= worth_a_warning) continue;
            ++apart;
            if (std::abs(difference) > std::abs(largest)) {
                largest = difference;
                worst = i;
            }
        }
        if (apart != 0)
            report_.warnings.push_back(fmt::format(
                "{}: closed form and TLM differ by more than {:.0f} % for {} of {} sends; most for {}: TLM {:+.0f} %",
                what, worth_a_warning * 100, apart, sends.size(), sends[worst].name, largest * 100));
    }

    void name_worst(const timeline_result& r) {
        std::size_t worst = sends_.size();
        for (std::size_t i = 0; i < sends_.size(); ++i)
            if (r.communications[i].ended() && r.communications[i].average_factor < 1 - 1e-9 &&
                (worst == sends_.size() || r.communications[i].average_factor < r.communications[worst].average_factor))
                worst = i;
        if (worst != sends_.size())
            report_.headline.push_back(fmt::format("slowed most: {}, {:.2f} times, by {}", sends_[worst].name,
                                                   1 / r.communications[worst].average_factor,
                                                   hold_text(net_, sends_, r.communications[worst].main)));
    }

    void add_packets(tlm_result& r, const std::vector<communication>& sends, const std::string& id,
                     const std::string& title, detail how_much) {
        report_.sections.push_back(tlm_section({tree_, sends, r}, id, title, how_much));
        for (auto& row : r.statistics) {
            row.path = id + "." + row.path;
            report_.statistics.push_back(std::move(row));
        }
    }

    int search(const pcie::model::order_problem& problem) {
        pcie::model::search_options options;
        options.jobs = context_.jobs();
        options.seed = settings_.search.seed;
        options.evaluations = settings_.search.evaluations;
        options.nodes = settings_.search.evaluations;
        switch (settings_.search.mode) {
        case search_mode::exhaustive: options.most_orders = ~0ull; break;
        case search_mode::budget: options.most_orders = 0; break;
        default: options.most_orders = settings_.search.exhaustive_limit; break;
        }
        if (settings_.search.mode == search_mode::exhaustive && !count_orders(problem))
            throw face::usage_error(fmt::format("{:.2g} orders are too many to try them all (search.mode: budget)",
                                                approximate_orders(problem)));
        options.progress = [this](double share) {
            context_.progress({}, static_cast<std::uint64_t>(share * 100), 100, "% of the orders");
            return context_.keep_going();
        };
        const auto found = search_orders(net_, problem, options);
        if (found.stopped && found.fastest.order.empty()) return face::exit_stopped;

        const auto fastest = in_order(tree_, problem, found.fastest.order);
        const auto configured = evaluate(sends_);
        const auto best = evaluate(fastest);
        const search_view view{tree_, problem, found, configured.end_s};
        headline(view);
        report_.results["search"] = search_results(view);
        report_.sections.push_back(best_order_section(view));
        report_.sections.push_back(search_section(view));
        const model_view best_view{net_, fastest, best};
        report_.sections.push_back(
            model_section(best_view, "fastest", "The fastest order in the closed-form model", detail::summary));
        report_.results["fastest"] = model_results(best_view);
        int code = found.stopped ? face::exit_stopped : face::exit_ok;
        if (!found.slowest.order.empty()) {
            const auto slowest = in_order(tree_, problem, found.slowest.order);
            const auto worst = evaluate(slowest);
            report_.sections.push_back(model_section({net_, slowest, worst}, "slowest",
                                                     "The slowest order in the closed-form model", detail::summary));
            if (tlm()) code = std::max(code, both_ends_in_tlm(view, fastest, best, slowest, worst));
        }
        return code;
    }

    void headline(const search_view& v) {
        const auto& r = v.result;
        if (r.exhaustive)
            report_.headline.push_back(fmt::format("{:.0f} orders of sends tried: fastest {:.4g} ms, slowest {:.4g} "
                                                   "ms, slowest / fastest {:.3f}, slowest / median {:.3f}",
                                                   r.orders, r.fastest.time_s * 1e3, r.slowest.time_s * 1e3,
                                                   r.slowest.time_s / r.fastest.time_s,
                                                   r.slowest.time_s / r.curve.median()));
        else
            report_.headline.push_back(
                fmt::format("fastest of about {:.2g} orders found: {:.4g} ms, {}", r.orders, r.fastest.time_s * 1e3,
                            r.proven ? "proven to be the best"
                                     : fmt::format("no order is faster than {:.4g} ms", r.bound_s * 1e3)));
        report_.headline.push_back(fmt::format("the order as configured takes {:.4g} ms: {:.2f} times the fastest",
                                               v.configured_s * 1e3, v.configured_s / r.fastest.time_s));
    }

    // What the search promises is the closed form's; whether packets keep it is the other level's to say.
    void warn_of_gain(const search_view& v, double gain_in_tlm) {
        const double promised = v.configured_s / v.result.fastest.time_s;
        if (std::abs(gain_in_tlm / promised - 1) > worth_a_warning)
            report_.warnings.push_back(fmt::format(
                "closed form and TLM disagree on what the fastest order gains over the configured one: {:.2f} "
                "times and {:.2f} times; for short messages, and links far from Gen3 x16, trust TLM",
                promised, gain_in_tlm));
    }

    int both_ends_in_tlm(const search_view& v, const std::vector<communication>& fastest, const timeline_result& best,
                         const std::vector<communication>& slowest, const timeline_result& worst) {
        auto fast = simulate(fastest, true);
        auto slow = simulate(slowest, false);
        const auto as_is = simulate(sends_, false);
        const int code = std::max({judge(fast, "TLM, fastest order"), judge(slow, "TLM, slowest order"),
                                   judge(as_is, "TLM, order as configured")});
        if (code == face::exit_ok) {
            face::table t;
            t.id = "levels";
            t.title = "Orders at both levels";
            t.columns = {{"order", ""}, {"closed form", "ms"}, {"TLM", "ms"}, {"difference", "%"}};
            const auto row = [&](const char* name, double closed, double packets) {
                t.rows.push_back({std::string(name), closed * 1e3, packets * 1e3, (packets / closed - 1) * 100});
            };
            row("fastest", v.result.fastest.time_s, fast.makespan_s());
            row("as configured", v.configured_s, as_is.makespan_s());
            row("slowest", v.result.slowest.time_s, slow.makespan_s());
            t.rows.push_back(
                {std::string("slowest / fastest"), v.result.slowest.time_s / v.result.fastest.time_s,
                 slow.makespan_s() / fast.makespan_s(),
                 (slow.makespan_s() / fast.makespan_s() / (v.result.slowest.time_s / v.result.fastest.time_s) - 1) *
                     100});
            t.note = "the last line is a ratio";
            report_.headline.push_back(
                fmt::format("slowest / fastest: {:.3f} in closed form, {:.3f} in TLM, every byte compared",
                            v.result.slowest.time_s / v.result.fastest.time_s, slow.makespan_s() / fast.makespan_s()));
            warn_of_gain(v, as_is.makespan_s() / fast.makespan_s());
            auto section =
                comparison_section(net_, fastest, best, fast, "comparison-fastest", "Closed form against TLM");
            section.items.insert(section.items.begin(), t);
            auto other = comparison_section(net_, slowest, worst, slow, "comparison-slowest", "");
            std::get<face::table>(section.items[1]).title = "Closed form and TLM, fastest order";
            std::get<face::table>(other.items[0]).title = "Closed form and TLM, slowest order";
            for (auto& item : section.items)
                if (auto* each = std::get_if<face::table>(&item)) each->on_terminal = each->id == "levels";
            for (auto& item : other.items) {
                std::get<face::table>(item).on_terminal = false;
                section.items.push_back(std::move(item));
            }
            report_.sections.push_back(std::move(section));
        }
        report_.results["tlm"] = {{"fastest", tlm_results(fast)}, {"slowest", tlm_results(slow)}};
        add_packets(fast, fastest, "tlm-fastest", "The fastest order in TLM", detail::summary);
        add_packets(slow, slowest, "tlm-slowest", "The slowest order in TLM", detail::summary);
        return code;
    }

    const experiment& settings_;
    const pcie::topology& tree_;
    const std::vector<communication>& sends_;
    face::run_context& context_;
    face::report_data& report_;
    const pcie::model::network net_;
};

}  // namespace

pcie::model::network network_of(const experiment& settings, const pcie::topology& tree) {
    pcie::model::network_options options;
    options.tau = settings.model.tau;
    options.reference = settings.model.bandwidth;
    return pcie::model::network(tree, options);
}

int run_exchange(const experiment& settings, const pcie::topology& tree,
                 const std::vector<communication>& communications, face::run_context& context) {
    return exchange(settings, tree, communications, context).run();
}

}  // namespace contraflow::pcie_tree
