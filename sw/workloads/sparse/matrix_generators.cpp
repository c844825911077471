// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/matrix_generators.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "workloads/graph/graph_generators.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

// Each random decision of a matrix has a stream of its own.
enum class stream : std::uint64_t { values = 1, tree, loops, numbers, places, nets };

core::random_source stream_of(std::uint64_t seed, stream s) {
    return core::random_source(input_word(seed, static_cast<std::uint64_t>(s)));
}

// Says yes for exactly `wanted` of `offered` candidates; all subsets are equally probable. Source: Knuth, The Art of
// Computer Programming 2, 3.4.2, algorithm S.
class exact_choice {
public:
    exact_choice(std::uint64_t offered, std::uint64_t wanted, core::random_source random)
        : offered_(offered),
          wanted_(wanted),
          random_(random) {}
    bool take() {
        if (random_.below(offered_--) >= wanted_) return false;
        --wanted_;
        return true;
    }

private:
    std::uint64_t offered_, wanted_;
    core::random_source random_;
};

// `each(place)` calls place(row, column) for every entry, twice alike: to count and to store. Mirrored places of a
// matrix with symmetric values have the same value.
template <class Each>
csr_matrix matrix_of(std::uint32_t rows, std::uint64_t seed, bool symmetric_values, const Each& each) {
    csr_matrix m;
    m.rows = m.columns = rows;
    // While entries are stored, row_begin[r + 1] is the next place of row r; in the end it is that of row r + 1.
    m.row_begin.assign(std::size_t{rows} + 2, 0);
    each([&](std::uint32_t row, std::uint32_t) { ++m.row_begin[row + 2]; });
    std::partial_sum(m.row_begin.begin(), m.row_begin.end(), m.row_begin.begin());
    m.column.resize(m.row_begin.back());
    each([&](std::uint32_t row, std::uint32_t column) { m.column[m.row_begin[row + 1]++] = column; });
    m.row_begin.pop_back();
    m.value.resize(m.column.size());
    const std::uint64_t of_values = input_word(seed, static_cast<std::uint64_t>(stream::values));
    for (std::uint32_t r = 0; r < rows; ++r) {
        std::sort(m.column.begin() + m.row_begin[r], m.column.begin() + m.row_begin[r + 1]);
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i) {
            const std::uint32_t c = m.column[i];
            const auto [a, b] = symmetric_values && r < c ? std::pair(c, r) : std::pair(r, c);
            m.value[i] = 2 * input_real(of_values, std::uint64_t{a} << 32 | b) - 1;
        }
    }
    return m;
}

constexpr std::uint64_t key_of(std::uint32_t row, std::uint32_t column) { return std::uint64_t{row} << 32 | column; }

// Distinct places, in order, from `draw(random, evenly)`. Where the structure's probable places are used up, the rest
// is drawn evenly from all places, of which at most a quarter may be wanted: so it ends soon.
template <class Draw>
std::vector<std::uint64_t> distinct_places(std::size_t wanted, core::random_source random, const Draw& draw) {
    std::vector<std::uint64_t> kept, fresh, both;
    for (unsigned round = 0; kept.size() < wanted; ++round) {
        constexpr unsigned structured_rounds = 32;
        fresh.clear();
        for (std::size_t i = kept.size(); i < wanted; ++i) fresh.push_back(draw(random, round >= structured_rounds));
        std::sort(fresh.begin(), fresh.end());
        fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
        both.clear();
        std::set_union(kept.begin(), kept.end(), fresh.begin(), fresh.end(), std::back_inserter(both));
        kept.swap(both);
    }
    return kept;
}

void refuse_if(const std::string& why) {
    if (!why.empty()) throw std::invalid_argument(why);
}

std::string range_refusal(std::string_view kind, std::uint32_t rows, std::uint32_t entries, std::uint64_t low,
                          std::uint64_t high) {
    if (entries >= low && entries <= high) return {};
    return fmt::format("a {} matrix of {} rows has {} to {} entries, not {}", kind, rows, low, high, entries);
}

// ---- road

struct road_grid {
    explicit road_grid(std::uint32_t n)
        : points(n),
          width(static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))))),
          height((n + width - 1) / width) {}

    // Points with a neighbour on the left and one above.
    std::uint64_t inner() const { return std::uint64_t{points} - width - (height - 1); }

    std::uint32_t points, width, height;  // the last line may be short
};

// The number of each point.
std::vector<std::uint32_t> numbers_by_district(const road_grid& g, core::random_source random) {
    constexpr std::uint32_t side = 64;
    std::vector<std::uint32_t> number(g.points), district;
    std::uint32_t next = 0;
    for (std::uint32_t top = 0; top < g.height; top += side) {
        for (std::uint32_t left = 0; left < g.width; left += side) {
            district.clear();
            for (std::uint32_t y = top; y < std::min(top + side, g.height); ++y)
                for (std::uint32_t x = left; x < std::min(left + side, g.width); ++x)
                    if (const std::uint64_t p = std::uint64_t{y} * g.width + x; p < g.points)
                        district.push_back(static_cast<std::uint32_t>(p));
            core::shuffle(district, random);
            for (const std::uint32_t p : district) number[p] = next++;
        }
    }
    return number;
}

// ---- kkt

struct cube {
    explicit cube(std::uint32_t rows) {
        while (rows_of(side + 1) <= rows) ++side;
        points = side * side * side;
        controls = rows - 2 * points;
    }
    static std::uint64_t rows_of(std::uint64_t n) { return 2 * n * n * n + 6 * n * n; }
    std::uint32_t variables() const { return points + controls; }
    // Points and their neighbours, themselves among them.
    std::uint64_t neighbours() const {
        const std::uint64_t line = 3 * std::uint64_t{side} - 2;
        return line * line * line;
    }

    std::uint32_t side = 0, points = 0, controls = 0;
};

// f(a, b) for the points b next to a, and a itself; for all a in ascending order.
template <class F> void each_neighbour(const cube& c, const F& f) {
    const auto n = static_cast<std::int64_t>(c.side);
    std::uint32_t a = 0;
    for (std::int64_t z = 0; z < n; ++z)
        for (std::int64_t y = 0; y < n; ++y)
            for (std::int64_t x = 0; x < n; ++x, ++a)
                for (std::int64_t w = std::max<std::int64_t>(z - 1, 0); w <= std::min(z + 1, n - 1); ++w)
                    for (std::int64_t v = std::max<std::int64_t>(y - 1, 0); v <= std::min(y + 1, n - 1); ++v)
                        for (std::int64_t u = std::max<std::int64_t>(x - 1, 0); u <= std::min(x + 1, n - 1); ++u)
                            f(a, static_cast<std::uint32_t>((w * n + v) * n + u));
}

// f(control, point) for the points of a control's face that are next to it.
template <class F> void each_control(const cube& c, const F& f) {
    const std::uint32_t n = c.side, face = n * n;
    for (std::uint32_t k = 0; k < c.controls; ++k) {
        const std::uint32_t on = k % (6 * face) / face, a = k % face / n, b = k % n;
        const std::uint32_t level = on % 2 == 0 ? 0 : n - 1;
        for (std::uint32_t p = a > 0 ? a - 1 : 0; p <= std::min(a + 1, n - 1); ++p)
            for (std::uint32_t q = b > 0 ? b - 1 : 0; q <= std::min(b + 1, n - 1); ++q) {
                const std::uint32_t at_x = (p * n + q) * n + level, at_y = (p * n + level) * n + q,
                                    at_z = (level * n + p) * n + q;
                f(k, on < 2 ? at_x : on < 4 ? at_y : at_z);
            }
    }
}

// Entries of A in its complete pattern.
std::uint64_t couplings(const cube& c) {
    std::uint64_t n = c.neighbours();
    each_control(c, [&](std::uint32_t, std::uint32_t) { ++n; });
    return n;
}

}  // namespace

std::string road_refusal(std::uint32_t rows, std::uint32_t entries) {
    const road_grid g(rows);
    if (entries % 2 != 0)
        return fmt::format("a road matrix has an entry for each direction of a road: {} entries is odd", entries);
    return range_refusal("road", rows, entries, 0, 2 * (rows - 1 + g.inner()));
}

csr_matrix road_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed) {
    refuse_if(road_refusal(rows, entries));
    const road_grid g(rows);
    const std::vector<std::uint32_t> number = numbers_by_district(g, stream_of(seed, stream::numbers));
    const std::uint64_t roads = entries / 2, in_tree = std::min<std::uint64_t>(roads, rows - 1);
    const std::uint64_t directions = stream_of(seed, stream::tree).next();
    return matrix_of(rows, seed, true, [&](const auto& place) {
        exact_choice tree(rows - 1, in_tree, stream_of(seed, stream::places));
        exact_choice loops(g.inner(), roads - in_tree, stream_of(seed, stream::loops));
        const auto join = [&](std::uint32_t a, std::uint32_t b) {
            place(number[a], number[b]);
            place(number[b], number[a]);
        };
        // Every point but the first has its edge of the tree to the left or upwards.
        for (std::uint32_t p = 1; p < rows; ++p) {
            const bool has_left = p % g.width != 0, has_upper = p >= g.width;
            const bool to_left = has_left && (!has_upper || input_word(directions, p) % 2 == 0);
            if (tree.take()) join(p, to_left ? p - 1 : p - g.width);
            if (has_left && has_upper && loops.take()) join(p, to_left ? p - g.width : p - 1);
        }
    });
}

std::string circuit_refusal(std::uint32_t rows, std::uint32_t entries) {
    return range_refusal("circuit", rows, entries, rows, rows + std::uint64_t{rows} * (rows - 1) / 4);
}

csr_matrix circuit_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed) {
    refuse_if(circuit_refusal(rows, entries));
    constexpr std::uint32_t rows_of_a_net = 8192, connections_of_nets = 32;
    // A net in each run of rows, at a random place of it.
    std::vector<std::uint32_t> nets(std::max(rows / rows_of_a_net, 1u));
    core::random_source random = stream_of(seed, stream::nets);
    for (std::uint64_t k = 0; k < nets.size(); ++k) {
        const std::uint64_t begin = k * rows / nets.size(), end = (k + 1) * rows / nets.size();
        nets[k] = static_cast<std::uint32_t>(begin + random.below(end - begin));
    }
    const unsigned octaves = rows > 2 ? std::bit_width(rows / 2) : 1;
    const auto draw = [&](core::random_source& r, bool evenly) {
        const bool of_net = r.below(connections_of_nets) == 0;
        for (;;) {
            auto a = static_cast<std::uint32_t>(r.below(rows)), b = static_cast<std::uint32_t>(r.below(rows));
            if (!evenly) {
                const std::uint32_t octave = 1u << r.below(octaves);
                const auto distance = octave + static_cast<std::uint32_t>(r.below(octave));
                if (of_net)
                    a = nets[r.below(nets.size())];
                else
                    b = a - distance;  // wraps around to a number that is too large
            }
            if (a != b && b < rows) return key_of(std::max(a, b), std::min(a, b));
        }
    };
    const std::uint32_t others = entries - rows;
    const auto connections = distinct_places((others + 1) / 2, stream_of(seed, stream::places), draw);
    return matrix_of(rows, seed, true, [&](const auto& place) {
        for (std::uint32_t r = 0; r < rows; ++r) place(r, r);
        for (std::size_t i = 0; i < connections.size(); ++i) {
            const auto a = static_cast<std::uint32_t>(connections[i] >> 32),
                       b = static_cast<std::uint32_t>(connections[i]);
            place(a, b);
            if (i + 1 < connections.size() || others % 2 == 0) place(b, a);
        }
    });
}

std::string kkt_refusal(std::uint32_t rows, std::uint32_t entries) {
    if (rows < cube::rows_of(1))
        return fmt::format("a kkt matrix has at least {} rows, not {}", cube::rows_of(1), rows);
    const cube c(rows);
    return range_refusal("kkt", rows, entries, c.variables(),
                         c.variables() + 2 * couplings(c) + c.neighbours() - c.points);
}

csr_matrix kkt_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed) {
    refuse_if(kkt_refusal(rows, entries));
    const cube c(rows);
    const std::uint32_t variables = c.variables();
    const std::uint64_t in_a = couplings(c), pairs = (entries - variables + 1) / 2;
    const std::uint64_t taken = std::min(pairs, in_a);
    // An odd number of other entries leaves one out of the diagonal.
    const std::uint32_t diagonal = variables - (entries - variables) % 2;
    return matrix_of(rows, seed, true, [&](const auto& place) {
        exact_choice of_a(in_a, taken, stream_of(seed, stream::places));
        exact_choice of_h((c.neighbours() - c.points) / 2, pairs - taken, stream_of(seed, stream::loops));
        const auto couple = [&](std::uint32_t a, std::uint32_t b) {
            place(a, b);
            place(b, a);
        };
        for (std::uint32_t v = 0; v < diagonal; ++v) place(v, v);
        each_neighbour(c, [&](std::uint32_t point, std::uint32_t state) {
            if (of_a.take()) couple(variables + point, state);
            if (state < point && of_h.take()) couple(point, state);
        });
        each_control(c, [&](std::uint32_t control, std::uint32_t point) {
            if (of_a.take()) couple(variables + point, c.points + control);
        });
    });
}

std::string web_refusal(std::uint32_t rows, std::uint32_t entries) {
    return range_refusal("web", rows, entries, 0, std::uint64_t{rows} * (rows - 1) / 4);
}

csr_matrix web_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed) {
    refuse_if(web_refusal(rows, entries));
    const auto scale = static_cast<unsigned>(std::bit_width(rows - 1));
    core::random_source random = stream_of(seed, stream::numbers);
    const std::vector<std::uint32_t> number = shuffled_numbers(rows, random);
    const auto draw = [&](core::random_source& r, bool evenly) {
        for (;;) {
            const auto any = [&] { return static_cast<std::uint32_t>(r.below(rows)); };
            const rmat_place p = evenly ? rmat_place{any(), any()} : rmat_draw(scale, r);
            if (p.from < rows && p.to < rows && p.from != p.to) return key_of(number[p.from], number[p.to]);
        }
    };
    const auto places = distinct_places(entries, stream_of(seed, stream::places), draw);
    return matrix_of(rows, seed, false, [&](const auto& place) {
        for (const std::uint64_t p : places) place(static_cast<std::uint32_t>(p >> 32), static_cast<std::uint32_t>(p));
    });
}

}  // namespace contraflow::workloads
