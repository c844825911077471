// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/dealt_triangle.h"

#include "workloads/sparse/triangle.h"

namespace contraflow::workloads {
namespace {

// Rows and what they receive. Places of received sums are given row by row, in ascending order of senders, and so are
// the sums of each sender.
void deal_rows(const csr_matrix& lower, const row_deal& how, std::vector<triangle_part>& parts) {
    std::vector<std::uint32_t> from(how.pes);  // terms of the row, by PE
    for (std::uint32_t r = 0; r < lower.rows; ++r) {
        const unsigned owner = how.pe_of(r);
        triangle_part& own = parts[owner];
        const std::uint32_t diagonal = lower.row_begin[r + 1] - 1;
        from.assign(how.pes, 0);
        for (std::uint32_t i = lower.row_begin[r]; i < diagonal; ++i) ++from[how.pe_of(lower.column[i])];
        own.rows.push_back(r);
        own.diagonal.push_back(lower.value[diagonal]);
        own.terms.push_back(from[owner]);
        std::uint32_t place = own.received_begin.back();
        for (unsigned p = 0; p < how.pes; ++p)
            if (p != owner && from[p] != 0) parts[p].sent.push_back({owner, place++, from[p]});
        own.received_begin.push_back(place);
    }
}

}  // namespace

std::vector<triangle_part> deal_out(const csr_matrix& lower, const row_deal& how) {
    std::vector<triangle_part> parts(how.pes);
    for (triangle_part& p : parts) p.received_begin = p.column_begin = {0};
    deal_rows(lower, how, parts);
    // By PE: of each row of another PE to which it sends, the number of the sum.
    std::vector<std::vector<std::uint32_t>> sum_of(how.pes, std::vector<std::uint32_t>(lower.rows));
    for (unsigned p = 0; p < how.pes; ++p) {
        std::vector<std::uint32_t> row_of_place;
        for (std::uint32_t k = 0; k < parts[p].rows.size(); ++k)
            row_of_place.resize(parts[p].received_begin[k + 1], parts[p].rows[k]);
        for (unsigned q = 0; q < how.pes; ++q)
            for (std::uint32_t s = 0; s < parts[q].sent.size(); ++s)
                if (parts[q].sent[s].to == p) sum_of[q][row_of_place[parts[q].sent[s].place]] = s;
    }
    const csr_matrix columns = transposed(lower);
    for (std::uint32_t c = 0; c < columns.rows; ++c) {
        const unsigned p = how.pe_of(c);
        triangle_part& part = parts[p];
        // The first entry is the diagonal.
        for (std::uint32_t i = columns.row_begin[c] + 1; i < columns.row_begin[c + 1]; ++i) {
            const std::uint32_t r = columns.column[i];
            const auto own = static_cast<std::uint32_t>(part.rows.size());
            part.target.push_back(how.pe_of(r) == p ? how.place_of(r) : own + sum_of[p][r]);
            part.value.push_back(columns.value[i]);
        }
        part.column_begin.push_back(static_cast<std::uint32_t>(part.target.size()));
    }
    return parts;
}

}  // namespace contraflow::workloads
