// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/all_reduce.h"

#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "workloads/support/input.h"

namespace contraflow::shmem {

all_reduce::all_reduce(const spec& s, unsigned pes, bool by_kernels)
    : spec_(s),
      pes_(pes),
      chunks_(by_kernels ? s.chunks : 1),
      senders_(by_kernels ? s.workgroups : 1) {
    if (pes < 2) throw std::invalid_argument("all_reduce: one PE has nothing to reduce");
}

unsigned all_reduce::rounds() const {
    return spec_.way == reduction_way::ring ? pes_ - 1 : static_cast<unsigned>(std::bit_width(pes_ - 1));
}

float all_reduce::element(unsigned pe, std::uint64_t i) const {
    return static_cast<float>(2 * workloads::input_real(spec_.seed + pe, i) - 1);
}

void all_reduce::prepare(job& j) {
    std::vector<float> contents(spec_.elements);
    for (unsigned pe = 0; pe < pes_; ++pe) {
        vector_.push_back(j[pe].malloc<float>(spec_.elements));
        place_.push_back(j[pe].malloc<float>(places() * spec_.elements));
        for (std::uint64_t i = 0; i < contents.size(); ++i) contents[i] = element(pe, i);
        j[pe].memory().write(vector_.back(), contents);
    }
}

// Ring: in phase p, PE r passes on part r - p, which its neighbour adds to its own; after the last one it has part r +
// 1 complete, and passes on that, then what it gets. Tree: in phase p, PEs at odd multiples of 2^p send to the PE 2^p
// before; then back in the opposite order.
std::optional<all_reduce::transfer> all_reduce::sent(unsigned pe, unsigned phase) const {
    const bool add = phase < rounds();
    const range all{0, spec_.elements};
    if (spec_.way == reduction_way::ring) {
        const unsigned part = (pe + 2 * pes_ - phase % rounds() + (add ? 0 : 1)) % pes_;
        return transfer{pe, (pe + 1) % pes_, all.piece(part, pes_), add};
    }
    const unsigned apart = 1u << (add ? phase : phases() - 1 - phase);
    if (add && pe % (2 * apart) == apart) return transfer{pe, pe - apart, all, true};
    if (!add && pe % (2 * apart) == 0 && pe + apart < pes_) return transfer{pe, pe + apart, all, false};
    return std::nullopt;
}

std::optional<all_reduce::transfer> all_reduce::received(unsigned pe, unsigned phase) const {
    if (spec_.way == reduction_way::ring) return sent((pe + pes_ - 1) % pes_, phase);
    const bool add = phase < rounds();
    const unsigned apart = 1u << (add ? phase : phases() - 1 - phase);
    if (add && pe % (2 * apart) == 0 && pe + apart < pes_) return sent(pe + apart, phase);
    if (!add && pe % (2 * apart) == apart) return sent(pe - apart, phase);
    return std::nullopt;
}

all_reduce::range all_reduce::share(const transfer& t, unsigned workgroup, unsigned step) const {
    return t.elements.piece(workgroup, senders_).piece(step % chunks_, chunks_);
}

gpu::array<float> all_reduce::arrival(unsigned pe, const transfer& t, unsigned phase) const {
    if (!t.add) return vector_[pe];
    const std::uint64_t place = spec_.way == reduction_way::ring ? 0 : phase;
    return place_[pe].slice(place * spec_.elements, spec_.elements);
}

gpu::task<> all_reduce::compute(pe& of, gpu::wave w, unsigned step, part which) {
    const unsigned pe = of.my_pe(), phase = step / chunks_;
    if (which != part::edge || phase == 0) co_return;
    const auto t = received(pe, phase - 1);
    if (!t || !t->add) co_return;
    const auto workgroup = static_cast<unsigned>(w.cta());
    const range mine =
        senders_ == spec_.workgroups ? share(*t, workgroup, step) : t->elements.piece(workgroup, spec_.workgroups);
    const gpu::array<float> place = arrival(pe, *t, phase - 1), own = vector_[pe];
    const std::uint64_t stride = std::uint64_t{w.waves_in_cta()} * w.width();
    // Two wavefronts' widths at a time, so that four loads are under way.
    for (std::uint64_t at = mine.begin; at < mine.end; at += 2 * stride) {
        const auto i = w.local_ids() + at, k = i + stride;
        const auto in = i < mine.end, too = k < mine.end;
        const auto [a, b, c, d] =
            co_await w.all(w.load(own, i, in), w.load(place, i, in), w.load(own, k, too), w.load(place, k, too));
        w.work(2);
        co_await w.all(w.store(own, i, a + b, in), w.store(own, k, c + d, too));
    }
}

core::bytes all_reduce::compute_on_host(pe& of, unsigned step) {
    const unsigned pe = of.my_pe();
    if (step == 0) return {};
    const auto t = received(pe, step - 1);
    if (!t || !t->add) return {};
    const std::uint64_t n = t->elements.end - t->elements.begin;
    const auto own = vector_[pe].slice(t->elements.begin, n);
    auto sum = of.memory().read(own);
    const auto here = of.memory().read(arrival(pe, *t, step - 1).slice(t->elements.begin, n));
    for (std::uint64_t i = 0; i < n; ++i) sum[i] += here[i];
    of.memory().write(own, sum);
    return {3 * n * sizeof(float)};  // two are read, one is written
}

std::vector<program_if::message> all_reduce::messages(const pe& of, unsigned workgroup, unsigned step) const {
    const unsigned phase = step / chunks_;
    const auto t = sent(of.my_pe(), phase);
    if (!t || workgroup >= senders_) return {};
    const range mine = share(*t, workgroup, step);
    if (mine.empty()) return {};
    // Both addresses are of this PE: symmetric arrays have the same place in all of them.
    return {{arrival(of.my_pe(), *t, phase).address(mine.begin), vector_[of.my_pe()].address(mine.begin),
             (mine.end - mine.begin) * sizeof(float), t->to}};
}

// The next step needs what came with the same chunk of the phase before; after the last one, all is to be there.
std::vector<program_if::sender> all_reduce::senders(const pe& of, unsigned workgroup, unsigned step) const {
    std::vector<sender> all;
    if (workgroup >= senders_) return all;
    const auto need = [&](unsigned other) {
        const auto t = received(of.my_pe(), other / chunks_);
        if (t && !share(*t, workgroup, other).empty()) all.push_back({t->from, workgroup, step - other});
    };
    if (step + 1 >= chunks_) need(step + 1 - chunks_);
    if (step + 1 == steps())
        for (unsigned last = step + 2 - chunks_; last <= step; ++last) need(last);
    return all;
}

std::vector<float> all_reduce::expected() const {
    std::vector<float> sum(spec_.elements);
    const range all{0, spec_.elements};
    if (spec_.way == reduction_way::ring) {
        for (unsigned k = 0; k < pes_; ++k)
            for (std::uint64_t i = all.piece(k, pes_).begin; i < all.piece(k, pes_).end; ++i) {
                sum[i] = element(k, i);
                for (unsigned r = 1; r < pes_; ++r) sum[i] += element((k + r) % pes_, i);
            }
        return sum;
    }
    std::vector<float> of(pes_);
    for (std::uint64_t i = 0; i < spec_.elements; ++i) {
        for (unsigned r = 0; r < pes_; ++r) of[r] = element(r, i);
        for (unsigned apart = 1; apart < pes_; apart *= 2)
            for (unsigned r = 0; r + apart < pes_; r += 2 * apart) of[r] += of[r + apart];
        sum[i] = of[0];
    }
    return sum;
}

std::string all_reduce::verify(job& j) const {
    const auto right = expected();
    for (unsigned pe = 0; pe < pes_; ++pe) {
        const auto seen = j[pe].memory().read(vector_[pe]);
        for (std::uint64_t i = 0; i < right.size(); ++i)
            if (std::bit_cast<std::uint32_t>(seen[i]) != std::bit_cast<std::uint32_t>(right[i]))
                return fmt::format("element {} of PE {} is {}, and it should be {}", i, pe, seen[i], right[i]);
    }
    return {};
}

}  // namespace contraflow::shmem
