// SPDX-License-Identifier: Apache-2.0
// L x = b for a sparse lower triangle whose rows are dealt out to the PEs in blocks
// (workloads/sparse/dealt_triangle.h), without levels and without a barrier. Source: Liu, Li, Hogg, Duff, Vinter: A
// Synchronization-Free Algorithm for Parallel Sparse Triangular Solves, Euro-Par 2016; over several PEs with sums of
// the terms that a PE has for a row of another.
//
//   a workgroup of one wavefront:  draw rows -> look until own terms and received sums of some are in -> solve them
//      -> add their columns to sums by atomic operations of the own GPU -> send each sum that is complete: p, 8 bytes
//
// A place of a received sum holds `nothing`, a word that no sum is, until the sum is there: value and signal are one
// aligned write of 8 bytes, which no path divides, so no fence is needed between them.
//
// It cannot hang: rows are drawn in ascending order on each PE, so the lowest unsolved row of all PEs has been drawn or
// is drawn next, and all that it needs has been solved and sent by workgroups that send before they draw again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shmem/programs/program_if.h"
#include "workloads/sparse/dealt_triangle.h"
#include "workloads/sparse/matrix_source.h"

namespace contraflow::shmem {

class triangular_solve final : public program_if {
public:
    struct spec {
        workloads::matrix_choice matrix;
        std::uint32_t block = 32;
        unsigned workgroups = 16;
        unsigned rows = 32;
        std::uint32_t pause = 64;
        static void describe(config::fields<spec>& f);
    };
    using triangle = std::shared_ptr<const workloads::csr_matrix>;
    // The lower triangle of the matrix, for several runs. Throws text::input_error if a file has an error, and
    // std::invalid_argument if the matrix is not square.
    static triangle triangle_of(const spec& s);
    // The first `pes` PEs have rows.
    triangular_solve(const spec& s, triangle lower, unsigned pes);

    void prepare(job& j) override;
    unsigned steps() const override { return 1; }
    unsigned workgroups() const override { return spec_.workgroups; }
    unsigned threads(unsigned wave_width) const override { return wave_width; }
    std::uint64_t heap_bytes() const override { return received_ * sizeof(std::uint64_t); }
    bool puts_at_any_time() const override { return true; }
    gpu::task<> whole(context& c, gpu::wave w) override;
    gpu::task<> compute(pe&, gpu::wave, unsigned, part) override { co_return; }
    std::vector<message> messages(const pe&, unsigned, unsigned) const override { return {}; }
    std::vector<sender> senders(const pe&, unsigned, unsigned) const override { return {}; }
    // Against the host's substitution, within twice the bound of the rounding error (workloads/sparse/triangle.h).
    std::string verify(job& j) const override;

    // Sums that PEs send to others.
    std::uint64_t sums_sent() const { return sums_sent_; }

private:
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};

    struct memory {                          // of a PE
        std::vector<std::uint32_t> numbers;  // of its rows in the whole matrix
        gpu::array<std::uint32_t> column_begin, target, received_begin;
        gpu::array<double> value, diagonal, b, x;
        // Of the rows, then of the sums that are sent.
        gpu::array<double> sum;
        gpu::array<std::int32_t> missing;
        gpu::array<std::uint32_t> sent_to, sent_place;
        gpu::array<std::uint32_t> drawn;     // rows, so far
        gpu::array<std::uint64_t> received;  // symmetric
    };
    memory place(pe& on, const workloads::triangle_part& part) const;
    double right_side(std::uint32_t row) const;

    const spec spec_;
    const triangle lower_;
    std::vector<workloads::triangle_part> parts_;  // until they are in the PEs' memories
    std::size_t received_ = 1;                     // places, on every PE alike
    std::vector<memory> memory_;
    std::uint64_t sums_sent_ = 0;
};

}  // namespace contraflow::shmem
