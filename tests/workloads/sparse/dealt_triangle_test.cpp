// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "workloads/sparse/dealt_triangle.h"
#include "workloads/sparse/matrix_generators.h"
#include "workloads/sparse/triangle.h"

namespace dealt_triangle_test {

using namespace contraflow::workloads;
using testing::ElementsAre;

TEST(row_deal, blocks_go_round_and_keep_their_order) {
    const row_deal d{2, 3};
    std::vector<unsigned> pe;
    std::vector<std::uint32_t> place;
    for (std::uint32_t r = 0; r < 15; ++r) {
        pe.push_back(d.pe_of(r));
        place.push_back(d.place_of(r));
    }
    EXPECT_THAT(pe, ElementsAre(0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1));
    EXPECT_THAT(place, ElementsAre(0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 4, 5, 4));
}

// Rows 0 and 1 on PE 0, 2 and 3 on PE 1. Row 3 needs all others: two terms of PE 0 are one sum.
TEST(dealt_triangle, sums_up_terms_for_another_pe) {
    const auto l = lower_triangle(to_csr({4, 4, {{1, 0, 2}, {3, 0, 3}, {3, 1, 4}, {3, 2, 5}, {2, 1, 6}}}));
    const auto parts = deal_out(l, {2, 2});
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_THAT(parts[0].rows, ElementsAre(0, 1));
    EXPECT_THAT(parts[0].terms, ElementsAre(0, 1));
    EXPECT_THAT(parts[0].received_begin, ElementsAre(0, 0, 0));
    EXPECT_THAT(parts[0].column_begin, ElementsAre(0, 2, 4));
    EXPECT_THAT(parts[0].target, ElementsAre(1, 2 + 1, 2 + 0, 2 + 1));
    EXPECT_THAT(parts[0].value, ElementsAre(2, 3, 6, 4));
    ASSERT_EQ(parts[0].sent.size(), 2u);
    EXPECT_EQ(parts[0].sent[1].to, 1u);
    EXPECT_EQ(parts[0].sent[1].place, 1u);
    EXPECT_EQ(parts[0].sent[1].terms, 2u);
    EXPECT_THAT(parts[1].rows, ElementsAre(2, 3));
    EXPECT_THAT(parts[1].terms, ElementsAre(0, 1));
    EXPECT_THAT(parts[1].received_begin, ElementsAre(0, 1, 2));
    EXPECT_THAT(parts[1].diagonal, ElementsAre(7, 13));
    EXPECT_TRUE(parts[1].sent.empty());
}

// The solution by messages that take any time, in any order of the PEs and of the rows that are ready.
class solver {
public:
    solver(const csr_matrix& lower, const row_deal& how, std::uint64_t seed) : random_(seed) {
        for (auto& part : deal_out(lower, how)) {
            pe p;
            p.missing = part.terms;
            for (const auto& s : part.sent) p.missing_of_sent.push_back(s.terms);
            p.sum.resize(part.rows.size());
            p.sent.resize(part.sent.size());
            p.received.resize(part.received_begin.back(), std::numeric_limits<double>::quiet_NaN());
            p.part = std::move(part);
            for (std::uint32_t k = 0; k < p.part.rows.size(); ++k) p.left.push_back(k);
            pes_.push_back(std::move(p));
        }
    }

    std::vector<double> solve(const std::vector<double>& b) {
        std::vector<double> x(b.size());
        std::size_t solved = 0, in_vain = 0;
        while (solved < b.size()) {
            if (!messages_.empty() && random_.below(3) == 0) deliver(random_.below(messages_.size()));
            pe& p = pes_[random_.below(pes_.size())];
            bool found = false;
            for (std::size_t i = 0; i < p.left.size() && !found; ++i) found = try_row(p, i, b, x);
            solved += found;
            in_vain = found ? 0 : in_vain + 1;
            if (in_vain > 10'000) return {};
        }
        while (!messages_.empty()) deliver(messages_.size() - 1);
        return x;
    }

    std::size_t sent() const { return delivered_; }
    void expect_nothing_left() const {
        for (const pe& p : pes_) {
            for (const auto m : p.missing) EXPECT_EQ(m, 0u);
            for (const auto m : p.missing_of_sent) EXPECT_EQ(m, 0u);
            for (const auto r : p.received) EXPECT_FALSE(std::isnan(r));
        }
    }

private:
    struct pe {
        triangle_part part;
        std::vector<std::uint32_t> missing, missing_of_sent, left;
        std::vector<double> sum, sent, received;
    };
    struct message {
        unsigned to;
        std::uint32_t place;
        double value;
    };
    void deliver(std::size_t i) {
        const message m = messages_[i];
        EXPECT_TRUE(std::isnan(pes_[m.to].received.at(m.place))) << "sent twice";
        pes_[m.to].received.at(m.place) = m.value;
        messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(i));
        ++delivered_;
    }
    bool try_row(pe& p, std::size_t i, const std::vector<double>& b, std::vector<double>& x) {
        const std::uint32_t k = p.left[i];
        if (p.missing[k] != 0) return false;
        double sum = p.sum[k];
        for (std::uint32_t s = p.part.received_begin[k]; s < p.part.received_begin[k + 1]; ++s) sum += p.received[s];
        if (std::isnan(sum)) return false;
        p.left.erase(p.left.begin() + static_cast<std::ptrdiff_t>(i));
        const double value = x[p.part.rows[k]] = (b[p.part.rows[k]] - sum) / p.part.diagonal[k];
        const auto rows = static_cast<std::uint32_t>(p.part.rows.size());
        for (std::uint32_t e = p.part.column_begin[k]; e < p.part.column_begin[k + 1]; ++e) {
            const std::uint32_t t = p.part.target[e];
            if (t < rows) {
                p.sum[t] += p.part.value[e] * value;
                --p.missing[t];
                continue;
            }
            p.sent[t - rows] += p.part.value[e] * value;
            if (--p.missing_of_sent[t - rows] == 0)
                messages_.push_back({p.part.sent[t - rows].to, p.part.sent[t - rows].place, p.sent[t - rows]});
        }
        return true;
    }

    contraflow::core::random_source random_;
    std::vector<pe> pes_;
    std::vector<message> messages_;
    std::size_t delivered_ = 0;
};

TEST(dealt_triangle, is_solved_in_any_order_of_pes_rows_and_messages) {
    for (const csr_matrix& m : {road_matrix(900, 2200, 1), circuit_matrix(800, 3201, 2), kkt_matrix(500, 3000, 3),
                                web_matrix(700, 4000, 4)}) {
        const csr_matrix l = lower_triangle(m);
        std::vector<double> b(l.rows);
        for (std::uint32_t r = 0; r < l.rows; ++r) b[r] = 1 + r % 7;
        const auto right = solve_forward(l, b);
        for (const row_deal& how :
             {row_deal{32, 1}, row_deal{32, 2}, row_deal{1, 3}, row_deal{7, 4}, row_deal{500, 3}}) {
            SCOPED_TRACE(testing::Message() << l.rows << " rows, blocks of " << how.block << " on " << how.pes);
            std::set<std::pair<std::uint32_t, unsigned>> needed;  // a row, and another PE that has terms of it
            for (std::uint32_t r = 0; r < l.rows; ++r)
                for (std::uint32_t i = l.row_begin[r]; i < l.row_begin[r + 1]; ++i)
                    if (how.pe_of(l.column[i]) != how.pe_of(r)) needed.emplace(r, how.pe_of(l.column[i]));
            solver s(l, how, 5);
            const auto x = s.solve(b);
            ASSERT_EQ(x.size(), right.size()) << "it hangs";
            const double tolerance = solution_tolerance(l, right);
            for (std::uint32_t r = 0; r < l.rows; ++r) ASSERT_NEAR(x[r], right[r], tolerance) << r;
            EXPECT_EQ(s.sent(), needed.size());
            s.expect_nothing_left();
        }
    }
}

}  // namespace dealt_triangle_test
