// SPDX-License-Identifier: Apache-2.0
#include "observe/wait_chain.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace contraflow::observe {
namespace {

bool is_part_of(std::string_view part, std::string_view whole) {
    return part.size() > whole.size() && part.starts_with(whole) &&
           (part[whole.size()] == '.' || part[whole.size()] == '[');
}

enum class relation { itself, part, whole, none };

relation related(std::string_view holder, std::string_view waiter) {
    if (waiter == holder) return relation::itself;
    if (is_part_of(waiter, holder)) return relation::part;
    if (is_part_of(holder, waiter)) return relation::whole;
    return relation::none;
}

// All waits, the longest first, and for each the waits of its holder.
class wait_graph {
public:
    explicit wait_graph(std::vector<core::wait_edge> edges) : edges_(std::move(edges)), next_(edges_.size()) {
        std::stable_sort(edges_.begin(), edges_.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            relation best = relation::none;
            for (std::size_t j = 0; j < edges_.size(); ++j) {
                const relation r = related(edges_[i].holder, edges_[j].waiter);
                if (r < best) next_[i].clear();
                best = std::min(best, r);
                if (r == best && r != relation::none) next_[i].push_back(j);
            }
        }
    }

    std::size_t size() const { return edges_.size(); }

    // Follows the wait into a cycle if possible, otherwise along the longest waits to the end.
    wait_chain chain_from(std::size_t start) const {
        struct step {
            std::size_t edge;
            std::size_t tried = 0;  // the number of successors that were tried
        };
        enum class mark { fresh, on_path, done };
        std::vector<mark> marks(edges_.size(), mark::fresh);
        std::vector<step> path{{start}};
        marks[start] = mark::on_path;
        while (!path.empty()) {
            step& last = path.back();
            if (last.tried == next_[last.edge].size()) {
                marks[last.edge] = mark::done;
                path.pop_back();
                continue;
            }
            const std::size_t next = next_[last.edge][last.tried++];
            if (marks[next] == mark::on_path) {
                wait_chain chain;
                for (const step& s : path) {
                    if (s.edge == next) chain.cycle_begin = chain.edges.size();
                    chain.edges.push_back(edges_[s.edge]);
                }
                return chain;
            }
            if (marks[next] == mark::done) continue;
            marks[next] = mark::on_path;
            path.push_back({next});
        }
        wait_chain chain{{edges_[start]}, {}};
        for (std::size_t at = start; !next_[at].empty(); chain.edges.push_back(edges_[at])) at = next_[at].front();
        return chain;
    }

private:
    std::vector<core::wait_edge> edges_;
    std::vector<std::vector<std::size_t>> next_;
};

}  // namespace

wait_chain longest_chain(const std::vector<core::wait_edge>& edges) {
    if (edges.empty()) return {};
    return wait_graph(edges).chain_from(0);
}

wait_chain any_cycle(const std::vector<core::wait_edge>& edges) {
    const wait_graph graph(edges);
    for (std::size_t start = 0; start < graph.size(); ++start) {
        wait_chain chain = graph.chain_from(start);
        if (!chain.cycle_begin) continue;
        chain.edges.erase(chain.edges.begin(), chain.edges.begin() + static_cast<std::ptrdiff_t>(*chain.cycle_begin));
        chain.cycle_begin = 0;
        return chain;
    }
    return {};
}

std::vector<std::string> wait_chain::lines() const {
    std::vector<std::string> result;
    for (const auto& e : edges)
        result.push_back(fmt::format("{} waits for {} of {} (since {})", e.waiter, e.resource, e.holder,
                                     core::rounded_text(e.since)));
    if (cycle_begin)
        result.back() += fmt::format(", which closes the cycle at {}", edges[*cycle_begin].waiter);
    else if (!edges.empty())
        result.push_back(fmt::format("{} reports no wait of its own", edges.back().holder));
    return result;
}

}  // namespace contraflow::observe
