// SPDX-License-Identifier: Apache-2.0
#include "transfers/pattern_config.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/tree/provenance.h"
#include "core/counted.h"
#include "transfers/patterns.h"

namespace contraflow::transfers {
namespace {

constexpr std::uint64_t most_cells = 1'000'000'000;  // per rank, in one dimension
constexpr std::array<const char*, 3> axis{"x", "y", "z"};

class pattern_reader {
public:
    pattern_reader(const pattern_spec& pattern, const machines::configured_tree& tree,
                   const machines::endpoint_directory& endpoints, const machines::locator& where,
                   config::diagnostics& diag)
        : pattern_(pattern),
          tree_(tree),
          endpoints_(endpoints),
          where_(where),
          diag_(diag) {}

    std::vector<pcie::model::communication> run() {
        const auto before = diag_.errors();
        refuse_unused_keys();
        if (pattern_.kind == pattern_kind::none) return {};
        find_participants();
        if (diag_.errors() > before) return {};
        const auto sends = generate();
        if (diag_.errors() > before) return {};
        auto resolved = resolve(sends);
        reorder(resolved);
        if (diag_.errors() > before) return {};
        return resolved;
    }

private:
    config::location at(const std::string& key) const { return where_("pattern." + key); }
    void error(const std::string& key, std::string message, std::string hint = {}) {
        diag_.error(at(key), std::move(message), std::move(hint));
    }
    const std::string& name_of(pcie::node_id id) const { return tree_.topology[id].name; }
    unsigned ranks() const { return static_cast<unsigned>(ranks_.size()); }

    void find_participants() {
        if (pattern_.participants.empty()) {
            const auto all = tree_.topology.endpoints();
            std::copy_if(all.begin(), all.end(), std::back_inserter(ranks_),
                         [&](auto id) { return tree_.devices[id] == machines::device_role::gpu; });
            if (ranks_.empty()) ranks_ = all;
        }
        std::set<pcie::node_id> seen;
        for (std::size_t i = 0; i < pattern_.participants.size(); ++i) {
            const auto place = at(fmt::format("participants[{}]", i));
            const auto id = endpoints_.find(pattern_.participants[i], place, diag_);
            if (!id) continue;
            if (!seen.insert(*id).second)
                diag_.error(place, fmt::format("{} takes part twice", config::quoted(name_of(*id))));
            ranks_.push_back(*id);
        }
        if (ranks_.size() < 2)
            error("participants", "a pattern between " + core::counted(ranks_.size(), "endpoint"),
                  "at least 2 take part");
    }

    std::vector<rank_send> generate() {
        switch (pattern_.kind) {
        case pattern_kind::none: return {};
        case pattern_kind::halo_2d: return halo(2);
        case pattern_kind::halo_3d: return halo(3);
        default: break;
        }
        if (pattern_.kind == pattern_kind::random) return random();
        if (!pattern_.size) {
            error("size", "the pattern has no size", "such as 'size: 300MiB', the size of each send");
            return {};
        }
        switch (pattern_.kind) {
        case pattern_kind::scatter: return scatter_sends(ranks(), root(), *pattern_.size);
        case pattern_kind::gather: return gather_sends(ranks(), root(), *pattern_.size);
        case pattern_kind::ring: return ring_sends(ranks(), *pattern_.size);
        default: break;
        }
        if (std::uint64_t{ranks()} * (ranks() - 1) > most_pattern_sends) {
            error("kind", fmt::format("{} sends between {} endpoints", std::uint64_t{ranks()} * (ranks() - 1), ranks()),
                  fmt::format("at most {}", most_pattern_sends));
            return {};
        }
        return all_to_all_sends(ranks(), *pattern_.size);
    }

    // A key without effect is an error, because its author expected an effect.
    void refuse_unused_keys() {
        const auto kind = pattern_.kind;
        const bool none = kind == pattern_kind::none;
        const bool is_halo = kind == pattern_kind::halo_2d || kind == pattern_kind::halo_3d;
        const bool is_rooted = kind == pattern_kind::scatter || kind == pattern_kind::gather;
        const auto refuse = [&](bool given, const char* key, const char* use) {
            if (!given) return;
            // Where --set chose the kind alone, the file's key was meant for another kind.
            const bool of_another = at("kind").file == config::set_source && at(key).file != config::set_source;
            if (of_another)
                error("kind", fmt::format("pattern.{} of the file has no effect", key),
                      fmt::format("{}; --set 'pattern={{kind: {}}}' leaves the file's pattern out", use,
                                  config::name_of(kind)));
            else
                error(key, fmt::format("pattern.{} has no effect", key), use);
        };
        refuse(!is_halo && !pattern_.grid.empty(), "grid", "a grid is for kind: halo_2d or halo_3d");
        refuse(!is_halo && !pattern_.domain.empty(), "domain", "a domain is for kind: halo_2d or halo_3d");
        refuse(!is_halo && pattern_.periodic, "periodic", "it is for kind: halo_2d or halo_3d");
        const pattern_spec usual;
        const bool by_domain = is_halo && !pattern_.domain.empty();
        const char* const sizes = "it is for kind: halo_2d or halo_3d with a domain";
        refuse(!by_domain && pattern_.halo_width != usual.halo_width, "halo_width", sizes);
        refuse(!by_domain && pattern_.cell_size != usual.cell_size, "cell_size", sizes);
        refuse(!by_domain && pattern_.fields != usual.fields, "fields", sizes);
        refuse(kind != pattern_kind::random && pattern_.count != usual.count, "count", "it is for kind: random");
        refuse(!is_rooted && pattern_.root, "root", "a root is for kind: scatter or gather");
        refuse((kind != pattern_kind::random || pattern_.size) && pattern_.max_size, "max_size",
               "it is for kind: random without size");
        refuse((kind != pattern_kind::random || pattern_.size) && pattern_.min_size, "min_size",
               "it is for kind: random with max_size");
        refuse(none && pattern_.size, "size", "the pattern has no kind");
        refuse(none && !pattern_.participants.empty(), "participants", "the pattern has no kind");
        refuse(none && !pattern_.order.empty(), "order", "the pattern has no kind");
    }

    std::vector<rank_send> random() {
        if (!pattern_.size && !pattern_.max_size) {
            error("max_size", "the random pattern has no size", "max_size for random sizes, or size for equal ones");
            return {};
        }
        const auto most = pattern_.size ? *pattern_.size : *pattern_.max_size;
        const auto least = pattern_.size ? most : pattern_.min_size.value_or(core::bytes{1});
        if (least > most) {
            error("min_size", "the least size is above max_size", fmt::format("at most {}", core::to_text(most)));
            return {};
        }
        return random_sends(ranks(), pattern_.count, least, most, pattern_.seed);
    }

    unsigned root() {
        if (!pattern_.root) return 0;
        const auto id = endpoints_.find(*pattern_.root, at("root"), diag_);
        if (!id) return 0;
        const auto rank = std::find(ranks_.begin(), ranks_.end(), *id);
        if (rank != ranks_.end()) return static_cast<unsigned>(rank - ranks_.begin());
        error("root", fmt::format("{} takes no part in the pattern", config::quoted(*pattern_.root)),
              "the root is one of the participants");
        return 0;
    }

    std::vector<rank_send> halo(std::size_t dimensions) {
        const auto before = diag_.errors();
        halo_exchange h;
        h.periodic = pattern_.periodic;
        const auto& grid = pattern_.grid;
        if (grid.size() != dimensions) {
            error("grid", "a grid of " + core::counted(grid.size(), "dimension"),
                  fmt::format("halo_{}d has {}, such as {}", dimensions, dimensions,
                              dimensions == 2 ? "[4, 2]" : "[2, 2, 2]"));
            return {};
        }
        std::uint64_t places = 1;
        for (std::size_t d = 0; d < dimensions; ++d) {
            if (grid[d] == 0)
                error(fmt::format("grid[{}]", d), "a grid without ranks", "each dimension has at least 1");
            h.grid[d] = grid[d];
            places = std::min<std::uint64_t>(places * grid[d], std::uint64_t{1} << 31);
        }
        if (places != ranks() && places > 0)
            error("grid",
                  fmt::format("a grid of {} has {} ranks, but {} endpoints take part", fmt::join(grid, " x "), places,
                              ranks()),
                  "the grid has a place for each participant; name them with `participants`");
        if (!pattern_.domain.empty())
            faces(dimensions, h);
        else if (pattern_.size)
            h.face.fill(*pattern_.size);
        else
            error("domain", "the halo has no sizes",
                  "domain: the cells of a rank, such as [256, 256, 80]; or size, for equal faces");
        if (pattern_.size && !pattern_.domain.empty())
            error("size", "the halo has two sizes: by its domain, and by `size`", "give one of them");
        return diag_.errors() > before ? std::vector<rank_send>{} : halo_sends(h);
    }

    // A face is the domain's cells across, times the halo's layers, times the bytes of a cell in all fields.
    void faces(std::size_t dimensions, halo_exchange& h) {
        const auto& domain = pattern_.domain;
        if (domain.size() < dimensions || domain.size() > 3)
            return error("domain", "a domain of " + core::counted(domain.size(), "dimension"),
                         dimensions == 2 ? "x and y, or x, y and z" : "x, y and z");
        std::array<std::uint64_t, 3> cells{1, 1, 1};
        for (std::size_t d = 0; d < domain.size(); ++d) {
            cells[d] = domain[d];
            const bool cut = d < dimensions && h.grid[d] > 1;
            const auto least = cut ? pattern_.halo_width : 1;
            if (domain[d] < least || domain[d] > most_cells)
                error(fmt::format("domain[{}]", d), fmt::format("{} cells in {}", domain[d], axis[d]),
                      fmt::format("{} to {}{}", least, most_cells, cut ? ": at least the halo's width" : ""));
        }
        for (std::size_t d = 0; d < dimensions; ++d) {
            const double size = static_cast<double>(cells[(d + 1) % 3]) * static_cast<double>(cells[(d + 2) % 3]) *
                                static_cast<double>(pattern_.halo_width) *
                                static_cast<double>(pattern_.cell_size.count) * static_cast<double>(pattern_.fields);
            if (size > static_cast<double>(largest_send.count))
                return error("domain", fmt::format("a face across {} of {:.3g} bytes", axis[d], size),
                             fmt::format("at most {}", core::to_text(largest_send)));
            h.face[d] =
                pattern_.cell_size * (cells[(d + 1) % 3] * cells[(d + 2) % 3] * pattern_.halo_width * pattern_.fields);
        }
    }

    std::vector<pcie::model::communication> resolve(const std::vector<rank_send>& sends) {
        std::vector<pcie::model::communication> resolved;
        resolved.reserve(sends.size());
        for (const auto& send : sends) {
            // One pair is enough to see that packages aren't joined.
            if (!endpoints_.joined(ranks_[send.from], ranks_[send.to], at("kind"), diag_)) return {};
            resolved.push_back({{}, ranks_[send.from], ranks_[send.to], send.size, 0});
        }
        return resolved;
    }

    void reorder(std::vector<pcie::model::communication>& sends) {
        std::map<pcie::node_id, std::size_t> ordered;
        for (std::size_t i = 0; i < pattern_.order.size(); ++i) {
            const auto& wanted = pattern_.order[i];
            const auto key = fmt::format("order[{}]", i);
            const auto source = endpoints_.find(wanted.source, at(key + ".source"), diag_);
            if (!source) continue;
            if (!ordered.emplace(*source, i).second) {
                error(key + ".source", fmt::format("{} is ordered twice", config::quoted(wanted.source)));
                continue;
            }
            reorder_source(sends, *source, wanted, key);
        }
    }

    // Reorders the sends of this source within their positions in the list.
    void reorder_source(std::vector<pcie::model::communication>& sends, pcie::node_id source,
                        const send_order_spec& wanted, const std::string& key) {
        std::vector<std::size_t> places;
        std::vector<pcie::model::communication> left;
        for (std::size_t i = 0; i < sends.size(); ++i) {
            if (sends[i].from != source) continue;
            places.push_back(i);
            left.push_back(sends[i]);
        }
        std::vector<pcie::model::communication> taken;
        for (std::size_t k = 0; k < wanted.to.size(); ++k) {
            const auto place = fmt::format("{}.to[{}]", key, k);
            const auto to = endpoints_.find(wanted.to[k], at(place), diag_);
            if (!to) return;
            const auto send = std::find_if(left.begin(), left.end(), [&](const auto& c) { return c.to == *to; });
            if (send == left.end())
                return error(
                    place,
                    fmt::format("'{}' has no {}send to '{}' in this pattern", name_of(source),
                                std::count(wanted.to.begin(), wanted.to.end(), wanted.to[k]) > 1 ? "further " : "",
                                name_of(*to)));
            taken.push_back(*send);
            left.erase(send);
        }
        if (!left.empty())
            return error(key + ".to",
                         fmt::format("the order of '{}' leaves out '{}'", name_of(source), name_of(left.front().to)),
                         fmt::format("it has {} sends", places.size()));
        for (std::size_t k = 0; k < places.size(); ++k) sends[places[k]] = taken[k];
    }

    const pattern_spec& pattern_;
    const machines::configured_tree& tree_;
    const machines::endpoint_directory& endpoints_;
    const machines::locator& where_;
    config::diagnostics& diag_;
    std::vector<pcie::node_id> ranks_;
};

}  // namespace

std::vector<pcie::model::communication> pattern_communications(const pattern_spec& pattern,
                                                               const machines::configured_tree& tree,
                                                               const machines::endpoint_directory& endpoints,
                                                               const machines::locator& where,
                                                               config::diagnostics& diag) {
    return pattern_reader(pattern, tree, endpoints, where, diag).run();
}

}  // namespace contraflow::transfers
