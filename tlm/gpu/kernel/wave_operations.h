// SPDX-License-Identifier: Apache-2.0
// The operations that a kernel awaits: loads, stores and atomic operations, a barrier, a fence, time spent computing.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gpu/kernel/array.h"
#include "gpu/kernel/per_thread.h"
#include "gpu/kernel/wave_context.h"

namespace contraflow::gpu {

// wave::store and similar functions return an operation that runs when it is awaited. It refers to its operands, so
// await it in the expression that made it. wave::load begins at once, and the wavefront goes on; to await it is to use
// its value. All of it is trivial to copy and destroy.
namespace detail {

// Finds an operand's values for the threads: a vector somewhere in the expression, or one value for all.
template <class A> class operand_source {
public:
    explicit operand_source(const A& value) : value_(value) {}
    A operator[](unsigned) const { return value_; }
    const A* first() const { return &value_; }
    static constexpr std::size_t stride = 0;

private:
    A value_;
};
template <class T> class operand_source<per_thread<T>> {
public:
    explicit operand_source(const per_thread<T>& values) : values_(&values) {}
    T operator[](unsigned thread) const { return (*values_)[thread]; }
    const T* first() const { return values_->data(); }
    static constexpr std::size_t stride = sizeof(T);

private:
    const per_thread<T>* values_;
};

template <class A>
concept index_operand = std::integral<typename thread_traits<A>::value>;

// The values of the running wavefront's threads.
template <class T> per_thread<T> values_in(const wave_access& a) {
    return per_thread<T>::from([&](unsigned i) {
        T v;
        std::memcpy(&v, a.data.data() + i * sizeof(T), sizeof(T));
        return v;
    });
}

[[noreturn]] void refuse_index(const wave_context& w, unsigned thread, std::uint64_t index, std::size_t size,
                               const char* what);
[[noreturn]] void refuse_second_use(const wave_context& w);

}  // namespace detail

// How all memory operations are awaited; Operation defines the access and its result.
template <class Operation> class memory_operation {
public:
    bool await_ready() const noexcept { return self().where().none(); }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return self().context().issue(h, 1, [this](std::span<wave_access> a) { self().describe(a[0]); });
    }
    auto await_resume() const { return self().result(self().context().completed(0)); }
    // What it adds to an instruction of several operations.
    static constexpr std::size_t accesses = 1;
    wave_access* load() const { return nullptr; }

private:
    const Operation& self() const { return static_cast<const Operation&>(*this); }
};

// The elements that an operation accesses. An index beyond the array is an error in the kernel.
template <class T, class Index> class element_access {
public:
    element_access(wave_context& w, const array<T>& a, const Index& index, mask where, const char* what)
        : context_(&w),
          array_(a),
          index_(index),
          where_(where) {
        bool inside = true;
        for_threads([&](unsigned i) { inside &= !where[i] || static_cast<std::uint64_t>(index_[i]) < a.size(); });
        if (inside) return;
        for (unsigned i = 0; i < w.width(); ++i)
            if (where[i] && static_cast<std::uint64_t>(index_[i]) >= a.size())
                detail::refuse_index(w, i, static_cast<std::uint64_t>(index_[i]), a.size(), what);
    }

    wave_context& context() const { return *context_; }
    mask where() const { return where_; }
    void describe_elements(wave_access& a, access_kind kind) const {
        a.kind = kind;
        a.element_bytes = sizeof(T);
        a.uncached = false;
        a.active = where_;
        a.expected = nullptr;
        a.expected_stride = 0;
        for_threads(
            [&](unsigned i) { a.address[i] = array_.address() + static_cast<std::uint64_t>(index_[i]) * sizeof(T); });
    }

protected:
    template <class Source> void put(wave_access& a, const Source& values) const {
        for_threads([&](unsigned i) {
            const T v = where_[i] ? static_cast<T>(values[i]) : T{};
            std::memcpy(a.data.data() + i * sizeof(T), &v, sizeof(T));
        });
    }
    per_thread<T> values(const wave_access& a) const {
        return where_.any() ? detail::values_in<T>(a) : per_thread<T>();
    }

private:
    wave_context* context_;
    array<T> array_;
    detail::operand_source<Index> index_;
    mask where_;
};

// A load under way. Its value can be used once.
template <class T> class [[nodiscard]] load_operation {
public:
    load_operation() = default;  // of no thread
    template <class Index>
    load_operation(wave_context& w, const array<T>& a, const Index& index, mask where, bool uncached) : context_(&w) {
        const element_access<T, Index> elements(w, a, index, where, "load");
        if (where.none()) return;
        load_ = &w.take_load();
        ticket_ = load_->ticket;
        elements.describe_elements(*load_, access_kind::load);
        load_->uncached = uncached;
        for_wave_blocks(w.width(),
                        [&](unsigned first) { std::memset(load_->data_of(first), 0, wave_block * sizeof(T)); });
        w.begin(*load_);
    }

    bool await_ready() const { return load() == nullptr; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) const {
        return context_->issue(
            h, 0, [](std::span<wave_access>) {}, std::span(&load_, 1));
    }
    per_thread<T> await_resume() const { return value(); }

    static constexpr std::size_t accesses = 0;
    mask where() const { return load() == nullptr ? mask() : load_->active; }
    // Null: of no thread.
    wave_access* load() const {
        if (load_ != nullptr && load_->ticket != ticket_) detail::refuse_second_use(*context_);
        return load_;
    }
    void describe(wave_access&) const {}
    per_thread<T> result(const wave_access&) const { return value(); }

private:
    per_thread<T> value() const {
        if (load() == nullptr) return {};
        const auto out = detail::values_in<T>(*load_);
        context_->give_back(*load_);
        return out;
    }

    wave_context* context_ = nullptr;
    wave_access* load_ = nullptr;
    std::uint64_t ticket_ = 0;
};

template <class T, class Index, class Value>
class [[nodiscard]] store_operation : public element_access<T, Index>,
                                      public memory_operation<store_operation<T, Index, Value>> {
public:
    struct stored {};

    store_operation(wave_context& w, const array<T>& a, const Index& index, const Value& value, mask where)
        : element_access<T, Index>(w, a, index, where, "store"),
          value_(value) {}

    void describe(wave_access& a) const {
        this->describe_elements(a, access_kind::store);
        this->put(a, value_);
    }
    stored result(const wave_access&) const { return {}; }
    void await_resume() const {}

private:
    detail::operand_source<Value> value_;
};

template <class T, class Index, class Value, class Expected>
class [[nodiscard]] atomic_operation : public element_access<T, Index>,
                                       public memory_operation<atomic_operation<T, Index, Value, Expected>> {
public:
    atomic_operation(wave_context& w, memory::atomic_op op, const array<T>& a, const Index& index, const Value& value,
                     const Expected& expected, mask where)
        : element_access<T, Index>(w, a, index, where, "atomic"),
          op_(op),
          value_(value),
          expected_(expected) {}

    void describe(wave_access& a) const {
        this->describe_elements(a, access_kind::atomic);
        a.op = op_;
        a.operand = operand_type_of<T>();
        this->put(a, value_);
        if (op_ == memory::atomic_op::compare_exchange) {
            a.expected = reinterpret_cast<const std::uint8_t*>(expected_.first());
            a.expected_stride = expected_.stride;
        }
    }
    per_thread<T> result(const wave_access& a) const { return this->values(a); }

private:
    memory::atomic_op op_;
    detail::operand_source<Value> value_;
    detail::operand_source<Expected> expected_;
};

// Several outstanding accesses together; returns a tuple of their results.
template <class... Operations> class [[nodiscard]] joint_operation {
public:
    joint_operation(wave_context& w, const Operations&... operations) : context_(&w), operations_(operations...) {
        const std::array<wave_access*, sizeof...(Operations)> loads{operations.load()...};
        w.put_in_order(loads);
    }

    bool await_ready() const noexcept {
        return std::apply([](const auto&... o) { return (o.where() | ...).none(); }, operations_);
    }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        std::array<wave_access*, sizeof...(Operations)> loads{};
        std::size_t count = 0;
        const auto note = [&](wave_access* load) {
            if (load != nullptr) loads[count++] = load;
        };
        std::apply([&](const auto&... o) { (note(o.load()), ...); }, operations_);
        return context_->issue(
            h, others,
            [this](std::span<wave_access> a) {
                std::apply(
                    [&](const auto&... o) {
                        std::size_t i = 0;
                        ((o.describe(a[i]), i += o.accesses), ...);
                    },
                    operations_);
            },
            std::span(loads).first(count));
    }
    auto await_resume() const {
        return std::apply(
            [this](const auto&... o) {
                std::size_t i = 0;
                const auto next = [&](std::size_t n) { return std::exchange(i, i + n); };
                return std::tuple{o.result(context_->completed(next(o.accesses)))...};  // in order, as in any braces
            },
            operations_);
    }

private:
    static constexpr std::size_t others = (Operations::accesses + ... + 0);  // that are no loads

    wave_context* context_;
    std::tuple<Operations...> operations_;
};

// The operations of a wavefront that do not access memory: barrier, fence, compute time.
class [[nodiscard]] barrier_operation {
public:
    explicit barrier_operation(wave_context& w) : context_(&w) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->suspend(h, [this] { return context_->executor().barrier(*context_); });
    }
    void await_resume() const noexcept {}

private:
    wave_context* context_;
};

class [[nodiscard]] fence_operation {
public:
    explicit fence_operation(wave_context& w) : context_(&w) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->suspend(h, [this] { return context_->executor().fence(*context_); });
    }
    void await_resume() const noexcept {}

private:
    wave_context* context_;
};

class [[nodiscard]] compute_operation {
public:
    compute_operation(wave_context& w, std::uint64_t cycles) : context_(&w), cycles_(cycles) {}
    bool await_ready() const noexcept { return cycles_ == 0; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->suspend(h, [this] { return context_->executor().compute(*context_, cycles_); });
    }
    void await_resume() const noexcept {}

private:
    wave_context* context_;
    std::uint64_t cycles_;
};

}  // namespace contraflow::gpu
