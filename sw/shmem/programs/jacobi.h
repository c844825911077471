// SPDX-License-Identifier: Apache-2.0
// Jacobi iteration on a grid of doubles: each point becomes the mean of its four neighbours. PEs have runs of rows, and
// workgroups runs of those of their PE. The outermost rows and columns of the whole grid keep their values. After each
// step, the first and the last row of a PE go to its neighbours.
//
//   edge: the first and the last row, also stored for the put        interior: the other rows
//
// Rows that travel are in the symmetric heap, in turns of two steps; the grid itself is in ordinary memory. If the host
// communicates, they may be in cached pages: the second level is written back and emptied at a kernel's end. A
// workgroup reads other workgroups' rows from the second level, as its first level may have them from before.
#pragma once

#include "shmem/programs/program_if.h"

namespace contraflow::shmem {

class jacobi final : public program_if {
public:
    struct spec {
        unsigned columns = 256;
        unsigned rows = 256;  // of a PE
        unsigned steps = 4;
        unsigned workgroups = 8, threads = 256;
        bool cached_halos = false;
        // That the host's memory carries in a step: a point is read, fetched to be written, and written back.
        core::bytes host_bytes() const { return {std::uint64_t{24} * rows * columns}; }
        static void describe(config::fields<spec>& f);
    };
    // Throws std::invalid_argument if a workgroup has no row.
    explicit jacobi(const spec& s);

    void prepare(job& j) override;
    unsigned steps() const override { return spec_.steps; }
    unsigned workgroups() const override { return spec_.workgroups; }
    unsigned threads(unsigned) const override { return spec_.threads; }
    // The grid comes into the second level in the first one, and its second copy in the next.
    unsigned warm_up() const override { return 2; }
    std::uint64_t heap_bytes() const override { return spec_.cached_halos ? 0 : halo_bytes(); }
    std::uint64_t cached_heap_bytes() const override { return spec_.cached_halos ? halo_bytes() : 0; }
    bool in_step() const override { return true; }
    gpu::task<> compute(pe& of, gpu::wave w, unsigned step, part which) override;
    core::bytes compute_on_host(pe& of, unsigned step) override;
    std::vector<message> messages(const pe& of, unsigned workgroup, unsigned step) const override;
    std::vector<sender> senders(const pe& of, unsigned workgroup, unsigned step) const override;
    std::string verify(job& j) const override;

private:
    enum side : unsigned { above, below };
    using row = gpu::array<double>;
    struct memory {                  // of a PE
        gpu::array<double> grid[2];  // by turn
        gpu::array<double> out, in;  // [turn][side] rows
    };
    static unsigned turn(unsigned step) { return step % 2; }
    std::uint64_t halo_bytes() const { return std::uint64_t{2} * 4 * spec_.columns * sizeof(double); }
    row halo(const gpu::array<double>& of, unsigned turn, side s) const {
        return of.slice((turn * 2 + s) * std::size_t{spec_.columns}, spec_.columns);
    }
    row grid_row(unsigned pe, unsigned turn, unsigned r) const {
        return memory_[pe].grid[turn].slice(std::size_t{r} * spec_.columns, spec_.columns);
    }
    unsigned first_row(unsigned workgroup) const { return spec_.rows * workgroup / spec_.workgroups; }
    bool has(unsigned pe, side s) const { return s == above ? pe > 0 : pe + 1 < memory_.size(); }
    struct segment {
        gpu::per_thread<double> here, west, east;
    };
    struct loads {  // of a segment, under way: the elements, and what lies beside the outermost two
        gpu::load_operation<double> here, outer;
    };
    loads load(gpu::wave w, row r, std::uint64_t at, bool own) const;
    static gpu::task<segment> use(gpu::wave w, loads l);
    gpu::task<> compute_rows(unsigned pe, gpu::wave w, unsigned step, unsigned begin, unsigned end);
    std::vector<double> initial(unsigned pe) const;
    std::vector<double> expected() const;

    const spec spec_;
    std::vector<memory> memory_;
};

}  // namespace contraflow::shmem
