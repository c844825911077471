// SPDX-License-Identifier: Apache-2.0
// Which threads take part: for a branch (`if (auto in = w.only(x < y))`) or along a loop over a range of indices. The
// end of the scope restores the threads that were active before.
#pragma once

#include <cstdint>

#include "gpu/kernel/per_thread.h"
#include "gpu/kernel/wave_context.h"

namespace contraflow::gpu {

class [[nodiscard]] thread_scope {
public:
    thread_scope(wave_context& w, mask only) : context_(&w), before_(w.active()) { w.set_active(before_ & only); }
    ~thread_scope() { context_->set_active(before_); }
    thread_scope(const thread_scope&) = delete;
    thread_scope& operator=(const thread_scope&) = delete;
    // Whether any thread is left.
    explicit operator bool() const { return context_->active().any(); }

private:
    wave_context* context_;
    mask before_;
};

// Indices first + thread, first + thread + stride, ... below the end; threads beyond it are inactive in the last round.
class index_range {
public:
    index_range(wave_context& w, std::uint64_t first, std::uint64_t end, std::uint64_t stride)
        : scope_(w, mask::everything()),
          context_(&w),
          threads_(w.active()),
          first_(first),
          end_(end),
          stride_(stride) {}

    class sentinel {};
    class iterator {
    public:
        explicit iterator(index_range& r) : range_(&r) { range_->limit(); }
        per_thread<std::uint64_t> operator*() const {
            return per_thread<std::uint64_t>::from([this](unsigned i) { return range_->first_ + i; });
        }
        iterator& operator++() {
            range_->first_ += range_->stride_;
            range_->limit();
            return *this;
        }
        friend bool operator==(const iterator& i, sentinel) { return i.done(); }

    private:
        bool done() const { return range_->context_->active().none(); }

        index_range* range_;
    };
    iterator begin() { return iterator(*this); }
    sentinel end() { return {}; }

private:
    void limit() {
        const std::uint64_t left = first_ < end_ ? end_ - first_ : 0;
        const unsigned width = context_->width();
        context_->set_active(threads_ & mask::first(left < width ? static_cast<unsigned>(left) : width));
    }

    thread_scope scope_;
    wave_context* context_;
    mask threads_;
    std::uint64_t first_;
    std::uint64_t end_;
    std::uint64_t stride_;
};

}  // namespace contraflow::gpu
