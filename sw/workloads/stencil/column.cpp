// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil/column.h"

namespace contraflow::workloads {

using gpu::mask;
using gpu::per_thread;
using gpu::task;

namespace {

mask all_if(bool condition) { return condition ? mask::everything() : mask(); }

constexpr mask first_thread = mask::thread(0);
mask last_thread(gpu::wave w) { return mask::thread(w.width() - 1); }

}  // namespace

column::column(gpu::wave w, box b, gpu::array<double> cells, double ghost, column_place p)
    : wave_(w),
      box_(b),
      cells_(cells),
      ghost_(ghost),
      place_(p),
      z_(p.z),
      x_(p.x + per_thread<std::uint64_t>(w.thread_ids())),
      end_x_(x_ + 1) {
    end_x_[0] = p.x - 1;
    if (p.x > 0) ends_ |= first_thread;
    if (p.x + w.width() < b.nx) ends_ |= last_thread(w);
}

task<> column::enter() {
    const auto [below, centre] = co_await wave_.all(wave_.load(cells_, x_ + line_of(place_.y, z_ - 1), all_if(z_ > 0)),
                                                    wave_.load(cells_, here()));
    centre_ = centre;
    below_ = z_ > 0 ? below : ghost_ * centre;
}

task<per_thread<double>> column::step(gpu::array<double> other) {
    const std::uint64_t line = line_of(place_.y, z_), next = line_of(place_.y, z_ + 1);
    const bool top = z_ + 1 == box_.nz;
    per_thread<double> others;
    neighbours_ = 0.0;
    if (box_.ny == 1) {
        const auto [above, ends, o] =
            co_await wave_.all(wave_.load(cells_, x_ + next, all_if(!top)), wave_.load(cells_, end_x_ + line, ends_),
                               wave_.load(other, x_ + line));
        above_ = above;
        others = o;
        add_sides(ends);
    } else {
        const bool front = place_.y == 0, back = place_.y + 1 == box_.ny;
        const auto [above, ends, o, before, behind] = co_await wave_.all(
            wave_.load(cells_, x_ + next, all_if(!top)), wave_.load(cells_, end_x_ + line, ends_),
            wave_.load(other, x_ + line), wave_.load(cells_, x_ + line_of(place_.y - 1, z_), all_if(!front)),
            wave_.load(cells_, x_ + line_of(place_.y + 1, z_), all_if(!back)));
        above_ = above;
        others = o;
        add_sides(ends);
        neighbours_ += (front ? ghost_ * centre_ : before) + (back ? ghost_ * centre_ : behind);
    }
    if (top) above_ = ghost_ * centre_;
    neighbours_ += below_ + above_;
    co_return others;
}

void column::add_sides(const per_thread<double>& ends) {
    const per_thread<double> outside = ghost_ * centre_;
    auto left = shuffle_up(centre_, 1), right = shuffle_down(centre_, 1);
    left.assign(first_thread, ends_[0] ? ends : outside);
    right.assign(last_thread(wave_), ends);
    right.assign(x_ + 1 == box_.nx, outside);
    neighbours_ += left + right;
}

void column::go_up() {
    below_ = centre_;
    centre_ = above_;
    ++z_;
}

}  // namespace contraflow::workloads
