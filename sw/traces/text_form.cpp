// SPDX-License-Identifier: Apache-2.0
#include "traces/text_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "text/text_fields.h"
#include "traces/text_names.h"
#include "traces/trace.h"

namespace contraflow::traces {
namespace {

using gpu::access_kind;
using gpu::mask;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
// The first words of lines, but for `wave_width` and `+`.
constexpr std::array<std::string_view, 14> words{"array",   "host_write", "kernel", "wave", "work",
                                                 "compute", "barrier",    "fence",  "load", "load_uncached",
                                                 "store",   "atomic",     "ahead",  "use"};

// The words that are allowed, the nearest one first.
template <class Names> std::string allowed(std::string_view wrong, const Names& names) {
    return config::did_you_mean(wrong, {names.begin(), names.end()},
                                fmt::format("{} are allowed", fmt::join(names, ", ")));
}

class parser {
public:
    parser(std::istream& in, const std::string& name, std::ostream& out) : text_(in, name, "#"), out_(out) {}

    void run() {
        while (text_.next_line()) line();
        if (launches_ == 0) text_.refuse("there is no kernel in it", "array, kernel and wave lines are needed");
        end_wave();
        writer_->end();
    }

private:
    void line();
    void width();
    void array();
    void host_write();
    void kernel();
    void begin_wave();
    void end_wave();
    void begin_step(step_kind kind);
    void end_step();
    void add_access(std::string_view kind);
    void add_used();

    gpu::dim3 size(std::string_view what);
    std::uint32_t array_number();
    void offsets(access& a);
    mask threads();
    template <std::size_t N> std::size_t one_of(const std::array<std::string_view, N>& names, std::string_view what);
    // The whole text as a number.
    std::uint64_t number(std::string_view digits, int base, std::string_view what) const;

    text::text_fields text_;
    std::ostream& out_;
    unsigned wave_width_ = gpu::default_wave_width;
    std::optional<trace_writer> writer_;                         // from the first line that does not state the width
    std::vector<std::pair<std::string, std::uint64_t>> arrays_;  // with their bytes
    std::optional<launch_head> launch_;
    std::uint64_t launches_ = 0;
    std::optional<std::pair<std::uint64_t, unsigned>> wave_;  // its CTA, its number there
    std::set<std::pair<std::uint64_t, unsigned>> waves_;      // wavefronts of this launch so far
    std::optional<step_encoder> steps_;
    std::optional<step> step_;  // may get further accesses
    std::uint64_t work_ = 0;
    std::uint64_t loads_ = 0;  // of this wavefront so far
};

void parser::line() {
    const std::string word(text_.field("a word"));
    if (word == "wave_width") return width();
    if (!writer_) {
        writer_.emplace(out_, wave_width_);
        steps_.emplace(wave_width_);
    }
    if (word == "array") {
        array();
    } else if (word == "host_write") {
        host_write();
    } else if (word == "kernel") {
        kernel();
    } else if (word == "wave") {
        begin_wave();
    } else if (!wave_) {
        text_.refuse(fmt::format("{} stands before the first wavefront", config::quoted(word)),
                     "array, host_write, kernel or wave is needed here");
    } else if (word == "work") {
        end_step();
        work_ += text_.whole("a number of cycles", 0, most >> 1);
    } else if (word == "compute") {
        begin_step(step_kind::compute);
        step_->cycles = text_.whole("a number of cycles", 1, most >> 1);
    } else if (word == "barrier") {
        begin_step(step_kind::barrier);
    } else if (word == "fence") {
        begin_step(step_kind::fence);
    } else if (word == "ahead") {
        begin_step(step_kind::loads);
        add_access(text_.field("a load"));
    } else if (word == "use") {
        begin_step(step_kind::use);
        add_used();
    } else if (word == "+") {
        if (!step_ || step_->accesses.empty())
            text_.refuse("there is no access that this one could join", "an access is needed in the line before");
        if (step_->accesses.size() == most_accesses)
            text_.refuse("too many accesses together", fmt::format("at most {} are allowed", most_accesses));
        add_access(text_.field("an access"));
    } else {
        if (word != "load" && word != "load_uncached" && word != "store" && word != "atomic")
            text_.refuse(fmt::format("there is no {}", config::quoted(word)), allowed(word, words));
        begin_step(step_kind::accesses);
        add_access(word);
    }
    text_.end_of_line();
}

void parser::width() {
    if (writer_) text_.refuse("the width of wavefronts stands behind other lines", "it is needed in the first line");
    const auto n = text_.whole("the threads of a wavefront", 32, 64);
    if (n != 32 && n != 64) text_.refuse(fmt::format("wavefronts have no {} threads", n), "32 and 64 are allowed");
    wave_width_ = static_cast<unsigned>(n);
    text_.end_of_line();
}

void parser::array() {
    end_wave();
    const std::string name(text_.field("a name"));
    if (std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& a) { return a.first == name; }))
        text_.refuse(fmt::format("there are two arrays {}", name), "a name of its own is needed for each");
    arrays_.emplace_back(name, text_.whole("a number of bytes", 1, most_bytes));
    writer_->array(arrays_.back().second);
    if (!text_.more()) return;
    const auto number = static_cast<std::uint32_t>(arrays_.size() - 1);
    writer_->protect(number, array_rights[one_of(rights_names, "what kernels may do with it")]);
}

void parser::host_write() {
    end_wave();
    launch_.reset();  // instructions of wavefronts follow their launch
    traces::host_write w;
    w.array = array_number();
    const std::uint64_t size = arrays_[w.array].second;
    w.offset = text_.whole("an offset in the array", 0, size - 1);
    w.bytes = text_.whole("a number of bytes of the array", 1, size - w.offset);
    w.ended = launches_;
    if (text_.more()) {
        if (text_.field("after") != "after") text_.refuse("nothing but after may follow", "after N is allowed");
        w.ended = text_.whole("a number of launches", 0, launches_);
    }
    writer_->write(w);
}

void parser::kernel() {
    end_wave();
    launch_head l;
    l.name = text_.field("a name");
    l.ended = launches_;
    l.grid = l.block = {0};
    while (text_.more()) {
        const std::string key(text_.field("a key"));
        if (key == "grid")
            l.grid = size("a grid such as 16 or 4x2x2");
        else if (key == "block")
            l.block = size("a block such as 256 or 32x8");
        else if (key == "shared")
            l.shared = core::bytes{text_.whole("a number of bytes", 0, most_bytes)};
        else if (key == "after")
            l.ended = text_.whole("a number of launches", 0, launches_);
        else
            text_.refuse(fmt::format("there is no {} of a kernel", config::quoted(key)),
                         "grid, block, shared and after are allowed");
    }
    if (l.grid.count() == 0 || l.block.count() == 0)
        text_.refuse("a kernel without a grid or a block", "grid N and block N are needed");
    if (l.block.count() > most_threads)
        text_.refuse("the block is too large", fmt::format("at most {} threads are allowed", most_threads));
    if (l.name.size() > longest_name)
        text_.refuse("the name is too long", fmt::format("at most {} bytes are allowed", longest_name));
    ++launches_;
    waves_.clear();
    launch_ = l;
    writer_->launch(l);
}

void parser::begin_wave() {
    end_wave();
    if (!launch_) text_.refuse("a wavefront of no kernel", "a kernel is needed before");
    const auto per_cta = gpu::waves_of(launch_->block, wave_width_);
    const auto cta = text_.whole("the number of a CTA", 0, launch_->grid.count() - 1);
    wave_ = {cta, static_cast<unsigned>(text_.whole("the number of a wavefront in its CTA", 0, per_cta - 1))};
    if (!waves_.insert(*wave_).second)
        text_.refuse(fmt::format("wavefront {} of CTA {} comes twice", wave_->second, wave_->first),
                     "all that it does is needed in one place");
}

void parser::end_wave() {
    end_step();
    work_ = 0;
    if (wave_) writer_->wave(launches_ - 1, wave_->first, wave_->second, *steps_);
    steps_->clear();
    loads_ = 0;
    wave_.reset();
}

void parser::begin_step(step_kind kind) {
    end_step();
    step_.emplace();
    step_->kind = kind;
    step_->work = std::exchange(work_, 0);
}

void parser::end_step() {
    if (step_) steps_->add(*step_);
    step_.reset();
}

void parser::add_access(std::string_view kind) {
    access a;
    if (kind == "atomic") {
        a.kind = access_kind::atomic;
        a.op = static_cast<memory::atomic_op>(one_of(op_names, "an operation"));
        a.operand = static_cast<memory::operand_type>(one_of(type_names, "a type"));
        if (a.op == memory::atomic_op::none) text_.refuse("an atomic operation that does nothing", "add is allowed");
        if (!memory::is_defined(a.op, a.operand))
            text_.refuse(fmt::format("there is no {} of {}", op_names[static_cast<std::size_t>(a.op)],
                                     type_names[static_cast<std::size_t>(a.operand)]),
                         "and, or, xor are for integers: u32, i32, u64, i64");
        a.element_bytes = static_cast<std::uint8_t>(size_of(a.operand));
    } else if (kind == "load" || kind == "load_uncached" || kind == "store") {
        a.kind = kind == "store" ? access_kind::store : access_kind::load;
        a.uncached = kind == "load_uncached";
        a.element_bytes = static_cast<std::uint8_t>(text_.whole("an element's size", 1, 8));
        if (!std::has_single_bit(unsigned{a.element_bytes}))
            text_.refuse("elements have no such size", "1, 2, 4 or 8 bytes are allowed");
    } else {
        text_.refuse(fmt::format("{} is no access", config::quoted(kind)),
                     "load, load_uncached, store or atomic is needed here");
    }
    if (step_->kind == step_kind::loads && a.kind != access_kind::load)
        text_.refuse(fmt::format("{} is no load", config::quoted(kind)), "load or load_uncached is needed here");
    a.array = array_number();
    offsets(a);
    step_->accesses.push_back(a);
    if (a.kind == access_kind::load) ++loads_;
}

// "1": the last load; "1,2": the one before it, too.
void parser::add_used() {
    const std::string form(text_.field("how many loads ago"));
    for (std::size_t begin = 0; begin <= form.size();) {
        const auto comma = std::min(form.find(',', begin), form.size());
        const auto ago = number(std::string_view(form).substr(begin, comma - begin), 10, "how many loads ago");
        if (ago == 0 || ago > loads_)
            text_.refuse(fmt::format("there is no load {} loads ago", ago), fmt::format("1 to {} are allowed", loads_));
        step_->used.push_back(ago);
        begin = comma + 1;
    }
}

std::uint32_t parser::array_number() {
    const auto name = text_.field("the name of an array");
    for (std::uint32_t i = 0; i < arrays_.size(); ++i)
        if (arrays_[i].first == name) return i;
    text_.refuse(fmt::format("there is no array {}", config::quoted(name)), "one that stands above is needed");
}

// "64": all threads the same; "64:4": each thread 4 bytes further; "0,4,16": one for each active thread.
void parser::offsets(access& a) {
    const std::string form(text_.field("offsets"));
    a.active = text_.more() ? threads() : mask::first(wave_width_);
    constexpr std::string_view what = "an offset";
    const auto colon = form.find(':');
    std::size_t next = 0;
    const auto item = [&] {
        const auto comma = std::min(form.find(',', next), form.size());
        const auto digits = std::string_view(form).substr(next, comma - next);
        next = comma + 1;
        return number(digits, 10, what);
    };
    const bool list = form.find(',') != std::string::npos;
    const std::uint64_t first = list ? 0 : number(std::string_view(form).substr(0, colon), 10, what);
    std::uint64_t stride = 0;
    if (colon != std::string::npos) {
        const auto digits = std::string_view(form).substr(colon + 1);
        const bool down = digits.starts_with('-');
        stride = number(digits.substr(down ? 1 : 0), 10, what);
        if (down) stride = 0 - stride;
    }
    const std::uint64_t size = arrays_[a.array].second;
    for (mask left = a.active; left.any(); left = left.without_lowest()) {
        const unsigned thread = left.lowest();
        if (list && next > form.size()) text_.refuse("there are fewer offsets than threads", "one a thread is needed");
        auto& offset = a.offset[thread];
        offset = list ? item() : first + stride * (thread - a.active.lowest());
        if (size < a.element_bytes || offset > size - a.element_bytes)
            text_.refuse(fmt::format("thread {} is at byte {} of {}", thread, static_cast<std::int64_t>(offset), size),
                         "offsets within the array are needed");
    }
    if (list && next <= form.size()) text_.refuse("there are more offsets than threads", "one a thread is needed");
}

// "threads 16": the first ones; "threads 0xff00": those.
mask parser::threads() {
    const auto word = text_.field("threads");
    if (word == "lanes") text_.refuse("'lanes' is called 'threads' now", "write threads N");
    if (word != "threads") text_.refuse("nothing but threads may follow offsets", "threads N is allowed");
    const auto form = text_.field("which threads");
    const bool bits = form.starts_with("0x");
    const auto n = number(bits ? form.substr(2) : form, bits ? 16 : 10, "which threads");
    const auto everything = mask::first(wave_width_).bits();
    if (n == 0 || n > (bits ? everything : wave_width_))
        text_.refuse("there are no such threads",
                     fmt::format("1 to {}, or 0x1 to {:#x} are allowed", wave_width_, everything));
    return bits ? mask(n) : mask::first(static_cast<unsigned>(n));
}

template <std::size_t N>
std::size_t parser::one_of(const std::array<std::string_view, N>& names, std::string_view what) {
    const auto word = text_.field(what);
    const auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end()) text_.refuse(fmt::format("{} is not {}", config::quoted(word), what), allowed(word, names));
    return static_cast<std::size_t>(at - names.begin());
}

std::uint64_t parser::number(std::string_view digits, int base, std::string_view what) const {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (failure != std::errc{} || end != digits.data() + digits.size())
        text_.refuse(fmt::format("{} is not {}", config::quoted(digits), what), "a whole number is needed here");
    return value;
}

gpu::dim3 parser::size(std::string_view what) {
    const std::string form(text_.field(what));
    std::array<std::uint32_t, 3> sides{1, 1, 1};
    std::size_t begin = 0;
    std::uint64_t places = 1;
    for (auto& side : sides) {
        const auto end = std::min(form.find('x', begin), form.size());
        const auto n = number(std::string_view(form).substr(begin, end - begin), 10, what);
        begin = end + 1;
        if (n == 0 || n > std::numeric_limits<std::uint32_t>::max() || places > most_ctas / n)
            text_.refuse(fmt::format("{} is not {}", config::quoted(form), what),
                         "sides from 1, and 2^48 places are allowed");
        places *= n;
        side = static_cast<std::uint32_t>(n);
        if (begin > form.size()) break;
    }
    if (begin <= form.size())
        text_.refuse(fmt::format("{} is not {}", config::quoted(form), what), "three sides are allowed");
    return {sides[0], sides[1], sides[2]};
}

// ---- to text

void write_access(const access& a, unsigned wave_width, std::ostream& out) {
    if (a.kind == access_kind::atomic)
        fmt::print(out, "atomic {} {}", op_names[static_cast<std::size_t>(a.op)],
                   type_names[static_cast<std::size_t>(a.operand)]);
    else
        fmt::print(out, "{} {}",
                   a.kind == access_kind::store ? "store"
                   : a.uncached                 ? "load_uncached"
                                                : "load",
                   a.element_bytes);
    fmt::print(out, " a{} ", a.array);
    const unsigned lowest = a.active.lowest();
    const mask others = a.active.without_lowest();
    const unsigned second = others.lowest();
    const auto stride = others.none() ? 0
                                      : static_cast<std::int64_t>(a.offset[second] - a.offset[lowest]) /
                                            static_cast<std::int64_t>(second - lowest);
    bool regular = true;
    for (mask left = others; left.any(); left = left.without_lowest())
        regular &=
            a.offset[left.lowest()] == a.offset[lowest] + static_cast<std::uint64_t>(stride) * (left.lowest() - lowest);
    out << a.offset[lowest];
    if (regular && stride != 0) out << ':' << stride;
    for (mask left = regular ? mask() : others; left.any(); left = left.without_lowest())
        out << ',' << a.offset[left.lowest()];
    if (a.active != mask::first(wave_width)) fmt::print(out, " threads {:#x}", a.active.bits());
    out << '\n';
}

void write_step(const step& s, unsigned wave_width, std::ostream& out) {
    if (s.work != 0) fmt::print(out, "work {}\n", s.work);
    switch (s.kind) {
    case step_kind::barrier: out << "barrier\n"; return;
    case step_kind::fence: out << "fence\n"; return;
    case step_kind::compute: fmt::print(out, "compute {}\n", s.cycles); return;
    case step_kind::use: fmt::print(out, "use {}\n", fmt::join(s.used, ",")); return;
    case step_kind::loads: out << "ahead "; break;
    case step_kind::accesses: break;
    }
    const char* joined = "";
    for (const access& a : s.accesses) {
        out << joined;
        write_access(a, wave_width, out);
        joined = "+ ";
    }
}

}  // namespace

void to_bytes(std::istream& text, const std::string& name, std::ostream& out) { parser(text, name, out).run(); }

void to_text(const trace& t, std::ostream& out) {
    if (t.wave_width() != gpu::default_wave_width) fmt::print(out, "wave_width {}\n", t.wave_width());
    for (std::size_t i = 0; i < t.array_bytes().size(); ++i) {
        const auto rights = std::find(array_rights.begin(), array_rights.end(), t.array_rights()[i]);
        fmt::print(out, "array a{} {}", i, t.array_bytes()[i]);
        if (rights != array_rights.end())
            fmt::print(out, " {}", rights_names[static_cast<std::size_t>(rights - array_rights.begin())]);
        out << '\n';
    }
    step_decoder steps;
    step s;
    auto write = t.writes().begin();
    const auto write_host_writes = [&](std::size_t launches) {
        for (; write != t.writes().end() && write->launches <= launches; ++write)
            fmt::print(out, "host_write a{} {} {} after {}\n", write->array, write->offset, write->bytes, write->ended);
    };
    for (std::size_t i = 0; i < t.launches().size(); ++i) {
        const auto& l = t.launches()[i];
        write_host_writes(i);
        std::string name = l.name.empty() ? "_" : l.name;
        std::replace_if(
            name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == '#' || c == 0x7f; }, '_');
        fmt::print(out, "kernel {} grid {}x{}x{} block {}x{}x{} shared {} after {}\n", name, l.grid.x, l.grid.y,
                   l.grid.z, l.block.x, l.block.y, l.block.z, l.shared.count, l.ended);
        for (const auto& w : l.waves) {
            fmt::print(out, "wave {} {}\n", w.cta, w.index);
            t.read(w, steps);
            while (steps.next(s)) write_step(s, t.wave_width(), out);
        }
    }
    write_host_writes(t.launches().size());
}

}  // namespace contraflow::traces
