// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "traces/text_form.h"
#include "traces/text_names.h"
#include "traces/trace.h"

namespace contraflow::traces {
namespace {

using gpu::access_kind;
using gpu::mask;

void write_access(const access& a, std::ostream& out) {
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
    if (!a.active.all()) fmt::print(out, " threads {:#x}", a.active.bits());
    out << '\n';
}

void write_step(const step& s, std::ostream& out) {
    if (s.work != 0) fmt::print(out, "work {}\n", s.work);
    switch (s.kind) {
    case step_kind::barrier: out << "barrier\n"; return;
    case step_kind::fence: out << "fence\n"; return;
    case step_kind::compute: fmt::print(out, "compute {}\n", s.cycles); return;
    case step_kind::accesses: break;
    }
    const char* joined = "";
    for (const access& a : s.accesses) {
        out << joined;
        write_access(a, out);
        joined = "+ ";
    }
}

}  // namespace

void to_text(const trace& t, std::ostream& out) {
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
        std::string name = l.name;
        std::replace_if(
            name.begin(), name.end(), [](char c) { return c == ' ' || c == '\t'; }, '_');
        fmt::print(out, "kernel {} grid {}x{}x{} block {}x{}x{} shared {} after {}\n", name, l.grid.x, l.grid.y,
                   l.grid.z, l.block.x, l.block.y, l.block.z, l.shared.count, l.ended);
        for (const auto& w : l.waves) {
            fmt::print(out, "wave {} {}\n", w.cta, w.index);
            t.read(w, steps);
            while (steps.next(s)) write_step(s, out);
        }
    }
    write_host_writes(t.launches().size());
}

}  // namespace contraflow::traces
