// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/order_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "pcie_study/search_report.h"
#include "pcie_study/time_scale.h"
#include "pcie_study/tlm_report.h"

namespace contraflow::pcie_study {
namespace {

using pcie::model::timeline_result;

// Some 10^6 to 10^7 orders are tried in a second: more than these would take hours.
constexpr double most_tried = 1e10;

// One order at both levels.
struct studied {
    const char* name;
    const sends& order;
    const timeline_result& closed;
    tlm_result packets;
};

class order_study {
public:
    order_study(const study_spec& settings, const pcie::topology& tree, const sends& configured,
                const pcie::model::order_problem& problem, evaluation& levels, face::run_context& context)
        : settings_(settings),
          tree_(tree),
          configured_(configured),
          problem_(problem),
          levels_(levels),
          context_(context),
          report_(context.report()) {}

    int run() {
        const auto found = search_orders(levels_.net(), problem_, options());
        if (found.fastest.order.empty()) {
            if (found.stopped) return face::exit_stopped;
            report_.headline.push_back(
                fmt::format("none of {:.0f} orders ends in the closed-form model", found.orders));
            return std::max<int>(face::exit_no_progress, judge(levels_.closed_form(configured_), "as configured"));
        }
        const auto fastest = in_order(tree_, problem_, found.fastest.order);
        const auto as_is = levels_.closed_form(configured_);
        const auto best = levels_.closed_form(fastest);
        const search_view view{tree_, problem_, found, as_is.end_s};
        headline(view, judge(as_is, "as configured") == face::exit_ok);
        report_.results["search"] = search_results(view);
        report_.sections.push_back(best_order_section(view));
        report_.sections.push_back(search_section(view));
        const auto limit = levels_.limit_of(fastest, best);
        const model_view best_view{levels_.net(), fastest, best, limiting_links(limit)};
        report_.sections.push_back(
            model_section(best_view, "fastest", "The fastest order in the closed-form model", detail::summary));
        report_.results["fastest"] = model_results(best_view);
        levels_.name_limit("fastest order, closed form", limit, report_.results["fastest"]);
        code_ = std::max(code_, judge(best, "fastest order"));
        if (found.stopped) code_ = std::max<int>(code_, face::exit_stopped);

        sends slowest;
        timeline_result worst;
        if (!found.slowest.order.empty()) {
            slowest = in_order(tree_, problem_, found.slowest.order);
            worst = levels_.closed_form(slowest);
            code_ = std::max(code_, judge(worst, "slowest order"));
            report_.sections.push_back(model_section({levels_.net(), slowest, worst}, "slowest",
                                                     "The slowest order in the closed-form model", detail::summary));
        }
        if (levels_.in_tlm()) {
            std::vector<studied> orders;
            orders.push_back({"fastest", fastest, best, levels_.packets(fastest, true)});
            orders.push_back({"as configured", configured_, as_is, levels_.packets(configured_, false)});
            if (!slowest.empty()) orders.push_back({"slowest", slowest, worst, levels_.packets(slowest, false)});
            compare(view, orders);
        }
        return code_;
    }

private:
    pcie::model::search_options options() {
        pcie::model::search_options o;
        o.jobs = context_.jobs();
        o.seed = settings_.search.seed;
        o.evaluations = settings_.search.evaluations;
        o.nodes = settings_.search.evaluations;
        switch (settings_.search.mode) {
        case search_mode::exhaustive: o.most_orders = ~0ull; break;
        case search_mode::budget: o.most_orders = 0; break;
        default: o.most_orders = settings_.search.exhaustive_limit; break;
        }
        if (settings_.search.mode == search_mode::exhaustive && approximate_orders(problem_) > most_tried)
            throw face::configuration_error({fmt::format("{:.2g} orders are too many to try them all: at most {:.0g}",
                                                         approximate_orders(problem_), most_tried),
                                             {{"search.mode", "budget"}}});
        o.progress = [this](double share) {
            context_.progress({}, static_cast<std::uint64_t>(share * 100), 100, "% of the orders");
            return context_.keep_going();
        };
        return o;
    }

    int judge(const timeline_result& r, const std::string& what) {
        return levels_.judge(r, fmt::format("closed form, {}", what));
    }

    void headline(const search_view& v, bool configured_ends) {
        const auto& r = v.result;
        if (r.exhaustive)
            report_.headline.push_back(fmt::format("closed form: {:.0f} orders of sends tried: fastest {}, slowest {}, "
                                                   "slowest / fastest {:.3f}, slowest / median {:.3f}",
                                                   r.orders, time_text(r.fastest.time_s), time_text(r.slowest.time_s),
                                                   r.slowest.time_s / r.fastest.time_s,
                                                   r.slowest.time_s / r.curve.median()));
        else
            report_.headline.push_back(
                fmt::format("closed form: the fastest order found, of about {:.2g}, takes {}, {}", r.orders,
                            time_text(r.fastest.time_s),
                            r.proven        ? "proven to be the best"
                            : r.bound_s > 0 ? fmt::format("no order is faster than {}", time_text(r.bound_s))
                                            : "and nothing bounds what others would take"));
        if (configured_ends)
            report_.headline.push_back(
                fmt::format("closed form: the order as configured takes {}: {:.2f} times the fastest",
                            time_text(v.configured_s), v.configured_s / r.fastest.time_s));
    }

    // The search uses the closed form; the TLM runs check whether packets agree.
    void warn_of_gain(const search_view& v, double gain_in_tlm) {
        const double promised = v.configured_s / v.result.fastest.time_s;
        if (std::abs(gain_in_tlm / promised - 1) > worth_a_warning)
            report_.warnings.push_back(fmt::format(
                "closed form and TLM disagree on what the fastest order gains over the configured one: {:.2f} "
                "times and {:.2f} times; for short messages, and links far from Gen3 x16, trust TLM",
                promised, gain_in_tlm));
    }

    void compare(const search_view& view, std::vector<studied>& orders) {
        bool whole = true;
        for (const auto& o : orders) {
            const int code = levels_.judge(o.packets, fmt::format("TLM, order {}", o.name));
            code_ = std::max(code_, code);
            whole = whole && code == face::exit_ok && o.closed.status == timeline_result::outcome::finished;
        }
        if (whole) {
            side_by_side(view, orders);
        } else if (code_ == face::exit_stopped) {
            report_.headline.push_back(
                "TLM: stopped before its runs had ended; the comparison of the levels is missing");
        }
        for (auto& o : orders) {
            if (&o.order == &configured_) continue;
            report_.results["tlm"][o.name] = tlm_results(o.packets);
            if (o.name == std::string_view("fastest"))
                levels_.name_limit("fastest order, TLM", levels_.limit_of(o.order, o.packets),
                                   report_.results["tlm"][o.name]);
            levels_.add_packets(o.packets, o.order, fmt::format("tlm-{}", o.name),
                                fmt::format("The {} order in TLM", o.name), detail::summary);
        }
    }

    void side_by_side(const search_view& view, const std::vector<studied>& orders) {
        const time_scale in = scale_of(orders.front().closed.end_s);
        face::table t;
        t.id = "levels";
        t.title = "Orders at both levels";
        t.columns = {{"order", ""}, {"closed form", in.unit}, {"TLM", in.unit}, {"difference", "%"}};
        const auto row = [&t](const std::string& name, double closed, double packets) {
            t.rows.push_back({name, closed, packets, (packets / closed - 1) * 100});
        };
        std::uint64_t wrong = 0;
        for (const auto& o : orders) {
            row(o.name, o.closed.end_s * in.per_s, o.packets.makespan_s() * in.per_s);
            wrong += o.packets.wrong_bytes();
        }
        const auto& fast = orders.front();
        const double configured = orders[1].packets.makespan_s();
        report_.headline.push_back(fmt::format(
            "TLM: the order as configured takes {}: {:.2f} times as long as the closed form's fastest, {}",
            time_text(configured), configured / fast.packets.makespan_s(), time_text(fast.packets.makespan_s())));
        if (orders.size() > 2) {
            const auto& slow = orders.back();
            const double closed = slow.closed.end_s / fast.closed.end_s;
            const double packets = slow.packets.makespan_s() / fast.packets.makespan_s();
            row("slowest / fastest", closed, packets);
            t.note = "the last line is a ratio";
            report_.headline.push_back(fmt::format("slowest / fastest: {:.3f} in closed form, {:.3f} in TLM, {}",
                                                   closed, packets, bytes_text(wrong)));
        }
        warn_of_gain(view, orders[1].packets.makespan_s() / fast.packets.makespan_s());
        face::section section{"comparison", "Closed form against TLM", {t}};
        for (const auto& o : orders) {
            if (&o.order == &configured_) continue;
            auto one = comparison_section(levels_.net(), o.order, o.closed, o.packets,
                                          fmt::format("comparison-{}", o.name), "");
            std::get<face::table>(one.items[0]).title = fmt::format("Closed form and TLM, {} order", o.name);
            for (auto& item : one.items) {
                std::get<face::table>(item).on_terminal = false;
                section.items.push_back(std::move(item));
            }
        }
        report_.sections.push_back(std::move(section));
    }

    const study_spec& settings_;
    const pcie::topology& tree_;
    const sends& configured_;
    const pcie::model::order_problem& problem_;
    evaluation& levels_;
    face::run_context& context_;
    face::report_data& report_;
    int code_ = face::exit_ok;
};

}  // namespace

int run_orders(const study_spec& settings, const pcie::topology& tree, const sends& configured,
               const pcie::model::order_problem& problem, evaluation& levels, face::run_context& context) {
    return order_study(settings, tree, configured, problem, levels, context).run();
}

}  // namespace contraflow::pcie_study
