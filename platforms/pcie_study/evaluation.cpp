// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/evaluation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "pcie_study/tlm_report.h"

namespace contraflow::pcie_study {
namespace {

constexpr double notable_stall = 0.1;        // share of the time in which a port waits for credits
constexpr std::size_t recorded_steps = 400;  // enough to read; further steps are only counted

// An experiment's constants and links in the form of the closed-form model.
pcie::model::network network_of(const study_spec& settings, const pcie::topology& tree, double tau) {
    pcie::model::network_options options;
    options.tau = tau;
    options.reference = settings.model.bandwidth;
    return pcie::model::network(tree, options);
}

}  // namespace

evaluation::evaluation(const study_spec& settings, const pcie::topology& tree, face::run_context& context)
    : settings_(settings),
      tree_(tree),
      context_(context),
      report_(context.report()),
      net_(network_of(settings, tree, settings.model.tau)) {}

void evaluation::warn_once(std::string text) {
    if (std::find(report_.warnings.begin(), report_.warnings.end(), text) == report_.warnings.end())
        report_.warnings.push_back(std::move(text));
}

pcie::model::timeline_result evaluation::closed_form(const sends& s) {
    pcie::model::timeline_options options;
    options.recorded_steps = recorded_steps;
    options.keep_going = [this] { return context_.keep_going(); };
    auto result = run_timeline(net_, s, options);
    for (const auto& o : result.overloads) warn_once(overload_text(net_, o));
    return result;
}

tlm_result evaluation::packets(const sends& s, bool observed) {
    tlm_options options;
    options.limits = runner::limits_of(context_, settings_.tlm.watchdog, "B");
    options.window = settings_.window;
    if (observed) {
        options.trace = context_.trace();
        options.waves = context_.waves();
    }
    auto r = run_tlm(tree_, settings_.tlm, s, options);
    for (const auto& fault : r.unmet_faults) warn_once(fault);
    return r;
}

std::optional<double> evaluation::time_on(const pcie::model::network& net, const sends& s) {
    pcie::model::timeline_options options;
    options.keep_going = [this] { return context_.keep_going(); };
    options.reasons = false;
    const auto r = run_timeline(net, s, options);
    if (r.status != pcie::model::timeline_result::outcome::finished) return std::nullopt;
    return r.end_s;
}

std::optional<double> evaluation::time_on(const pcie::topology& tree, const pcie::fabric_spec& spec, const sends& s) {
    tlm_options options;
    options.limits = runner::limits_of(context_, settings_.tlm.watchdog, "B");
    const auto r = run_tlm(tree, spec, s, options);
    context_.count_callbacks(r.callbacks);
    if (!r.complete()) return std::nullopt;
    return r.makespan_s();
}

std::optional<bottleneck> evaluation::limit_of(const sends& s, const pcie::model::timeline_result& r) {
    if (!settings_.bottleneck || r.status != pcie::model::timeline_result::outcome::finished) return std::nullopt;
    std::vector<link_load> loads;
    for (pcie::node_id id = 1; id < tree_.size(); ++id)
        for (const bool up : {true, false}) {
            const pcie::port_id port{id, up};
            const double could = net_.capacity(net_.index_of(port)) * net_.reference().bytes_per_s * r.end_s;
            if (could > 0) loads.push_back({port, static_cast<double>(r.ports[port.index()].bytes) / could});
        }
    std::vector<remedy> remedies;
    const auto loses = [](const pcie::model::communication_result& c) {
        return c.lost_s[static_cast<std::size_t>(pcie::model::reason::root_complex)] > 0;
    };
    if (std::any_of(r.communications.begin(), r.communications.end(), loses))
        remedies.push_back({fmt::format("the root complex, where {:.0f} % are lost", net_.tau() * 100),
                            "a root complex without loss",
                            [&] { return time_on(network_of(settings_, tree_, 0), s); }});
    return find_bottleneck(
        tree_, s, std::move(loads), r.end_s,
        [&](const pcie::topology& changed) { return time_on(network_of(settings_, changed, net_.tau()), s); },
        remedies);
}

// A sender may also wait while every link has time left: for buffers that are too small for the links' latency, and for
// the answers to all the reads that it may have under way.
std::optional<bottleneck> evaluation::limit_of(const sends& s, const tlm_result& r) {
    if (!settings_.bottleneck || !r.complete()) return std::nullopt;
    std::vector<link_load> loads;
    const direction_use* waits = nullptr;
    const direction_use* keeps = nullptr;  // what is not acknowledged yet
    double busiest = 0;
    for (const auto& p : r.ports) {
        loads.push_back({p.port, p.utilisation});
        busiest = std::max(busiest, p.utilisation);
        if (waits == nullptr || p.credit_stall > waits->credit_stall) waits = &p;
        if (keeps == nullptr || p.replay_stall > keeps->replay_stall) keeps = &p;
    }
    std::vector<remedy> remedies;
    const pcie::fabric_spec& spec = settings_.tlm;
    const auto crosses = [&](const pcie::model::communication& c) {
        const auto route = tree_.path(c.from, c.to);
        return route && route->crosses_root_complex;
    };
    if (spec.root_complex_payload.count < spec.max_payload.count && std::any_of(s.begin(), s.end(), crosses))
        remedies.push_back(
            {fmt::format("the root complex, which cuts TLPs into {}", core::to_text(spec.root_complex_payload)),
             "whole TLPs there", [&, spec] {
                 pcie::fabric_spec whole = spec;
                 whole.root_complex_payload = whole.max_payload;
                 return time_on(tree_, whole, s);
             }});
    if (constexpr double saturated = 0.9; busiest < saturated && waits != nullptr) {
        if (waits->credit_stall > notable_stall)
            remedies.push_back(
                {"the receive buffers", "twice the buffers", [&, spec] {
                     pcie::fabric_spec larger = spec;
                     for (auto* b : {&larger.posted_data, &larger.completion_data}) b->count *= 2;
                     for (auto* h : {&larger.posted_headers, &larger.non_posted_headers, &larger.completion_headers})
                         *h *= 2;
                     return time_on(tree_, larger, s);
                 }});
        if (keeps != nullptr && keeps->replay_stall > notable_stall)
            remedies.push_back({fmt::format("the replay buffers ({}'s is full {:.0f} % of the time)", keeps->name,
                                            keeps->replay_stall * 100),
                                "twice tlm.replay_tlps", [&, spec] {
                                    pcie::fabric_spec larger = spec;
                                    larger.replay_tlps *= 2;
                                    return time_on(tree_, larger, s);
                                }});
        if (spec.transfers == pcie::transfer_mode::pull)
            remedies.push_back({fmt::format("the tags ({} reads under way)", spec.tags), "twice the tags", [&, spec] {
                                    pcie::fabric_spec more = spec;
                                    more.tags *= 2;
                                    return time_on(tree_, more, s);
                                }});
    }
    auto found = find_bottleneck(
        tree_, s, std::move(loads), r.makespan_s(),
        [&](const pcie::topology& changed) {
            pcie::fabric_spec faster = spec;  // also after a link has gone down to fewer lanes
            for (auto& d : faster.faults.downgrades)
                if (const auto node = changed.find(d.node)) d.to.lanes *= changed[*node].sped_up;
            return time_on(changed, faster, s);
        },
        remedies);
    if (found && waits != nullptr && waits->credit_stall > notable_stall) {
        const auto many =
            std::count_if(r.ports.begin(), r.ports.end(), [](const auto& p) { return p.credit_stall > notable_stall; });
        found->waits =
            fmt::format("{}{} for credits up to {:.0f} % of the time", waits->name,
                        many == 1 ? " waits" : fmt::format(" and {} more wait", many - 1), waits->credit_stall * 100);
    }
    return found;
}

void evaluation::name_limit(const std::string& what, const std::optional<bottleneck>& b,
                            nlohmann::ordered_json& results) {
    if (!b) return;
    report_.headline.push_back(fmt::format("{}: {}", what, to_text(*b)));
    results["bottleneck"] = to_json(tree_, *b);
}

int evaluation::judge(const pcie::model::timeline_result& r, const std::string& what) {
    using outcome = pcie::model::timeline_result::outcome;
    if (r.status == outcome::finished) return face::exit_ok;
    if (r.status == outcome::stopped) return face::exit_stopped;
    report_.headline.push_back(fmt::format("{}: {}", what, r.message));
    return face::exit_no_progress;
}

int evaluation::judge(const tlm_result& r, const std::string& what) { return runner::judge(r, what, context_); }

void evaluation::warn_of_disagreement(const std::string& what, const sends& s,
                                      const pcie::model::timeline_result& closed, const tlm_result& packets) {
    std::size_t apart = 0;
    std::size_t worst = 0;
    double largest = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto& p = packets.streams[i];
        if (!closed.communications[i].ended() || !p.done()) continue;
        const double difference = (p.finished - p.start).seconds() / closed.communications[i].time_s() - 1;
        if (std::abs(difference) <= worth_a_warning) continue;
        ++apart;
        if (std::abs(difference) > std::abs(largest)) {
            largest = difference;
            worst = i;
        }
    }
    if (apart != 0)
        report_.warnings.push_back(fmt::format(
            "{}: closed form and TLM differ by more than {:.0f} % for {} of {} sends; most for {}: TLM {:+.0f} %", what,
            worth_a_warning * 100, apart, s.size(), s[worst].name, largest * 100));
}

void evaluation::add_packets(tlm_result& r, const sends& s, const std::string& id, const std::string& title,
                             detail how_much) {
    report_.sections.push_back(tlm_section({tree_, s, r}, id, title, how_much));
    runner::add_statistics(r, id, report_);
}

}  // namespace contraflow::pcie_study
