// SPDX-License-Identifier: Apache-2.0
#include "iss/elf_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include <elf.h>
#include <fmt/format.h>

#include "config/text/input_watch.h"

namespace contraflow::iss {
namespace {

class reader {
public:
    reader(std::string_view contents, const std::string& name) : contents_(contents), name_(name) {}

    template <class... Args> [[noreturn]] void fail(fmt::format_string<Args...> form, Args&&... args) const {
        throw elf_error(name_ + ": " + fmt::format(form, std::forward<Args>(args)...));
    }
    std::string_view part(std::uint64_t offset, std::uint64_t size, std::string_view what) const {
        if (offset > contents_.size() || size > contents_.size() - offset)
            fail("is cut short: its {} ends after byte {} of {}", what, offset + size, contents_.size());
        return contents_.substr(offset, size);
    }
    template <class T> T get(std::uint64_t offset, std::string_view what) const {
        T value;
        std::memcpy(&value, part(offset, sizeof value, what).data(), sizeof value);
        return value;
    }
    bool begins_with(std::string_view text) const { return contents_.starts_with(text); }
    std::string text(std::uint64_t offset) const {
        const std::string_view rest =
            part(offset, contents_.size() - std::min<std::uint64_t>(offset, contents_.size()), "table of names");
        return std::string(rest.substr(0, rest.find('\0')));
    }

private:
    std::string_view contents_;
    const std::string& name_;
};

std::string machine_name(unsigned machine) {
    switch (machine) {
    case EM_386: return "x86";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "Arm";
    case EM_AARCH64: return "AArch64";
    case EM_MIPS: return "MIPS";
    case EM_PPC: return "PowerPC";
    default: return fmt::format("machine {}", machine);
    }
}

Elf32_Ehdr checked_header(const reader& in) {
    if (!in.begins_with("\177ELF")) in.fail("is no ELF file");
    const std::string_view magic = in.part(0, EI_NIDENT, "header");
    // The machine is at the same place in both classes and tells more than the class.
    const bool big = magic[EI_DATA] == ELFDATA2MSB;
    unsigned machine = in.get<std::uint16_t>(EI_NIDENT + 2, "header");
    if (big) machine = (machine & 0xff) << 8 | machine >> 8;
    if (machine != EM_RISCV) in.fail("is for {}; a RISC-V program of 32 bits is wanted", machine_name(machine));
    if (magic[EI_CLASS] != ELFCLASS32) in.fail("is a RISC-V program of 64 bits; one of 32 bits is wanted");
    if (big) in.fail("is big-endian; a little-endian program is wanted");
    const auto header = in.get<Elf32_Ehdr>(0, "header");
    if (header.e_type != ET_EXEC) in.fail("is not linked to an executable at fixed addresses");
    if (header.e_flags & EF_RISCV_FLOAT_ABI)
        in.fail("passes floating-point values in registers that the core has not (link with -mabi=ilp32)");
    if (header.e_flags & EF_RISCV_RVE) in.fail("is for RV32E; link with -mabi=ilp32");
    return header;
}

}  // namespace

elf_file elf_file::read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) throw elf_error(path.string() + ": cannot be read");
    const std::string contents{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw elf_error(path.string() + ": cannot be read");
    config::tell_input("firmware", path.string(), &contents);
    return parse(contents, path.string());
}

elf_file elf_file::parse(std::string_view contents, const std::string& name) {
    const reader in(contents, name);
    const Elf32_Ehdr header = checked_header(in);
    elf_file result(name);
    result.entry_ = header.e_entry;

    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto p = in.get<Elf32_Phdr>(header.e_phoff + std::uint64_t{i} * sizeof(Elf32_Phdr), "program header");
        if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
        if (p.p_filesz > p.p_memsz) in.fail("has a segment at {:#x} with more bytes than it has room for", p.p_paddr);
        if (p.p_memsz > 0x1'0000'0000 - p.p_vaddr || p.p_memsz > 1u << 28)
            in.fail("has a segment of {} bytes at {:#x}, which is too large", p.p_memsz, p.p_vaddr);
        const std::string_view bytes = in.part(p.p_offset, p.p_filesz, "segment");
        segment s{p.p_vaddr, {bytes.begin(), bytes.end()}};
        s.bytes.resize(p.p_memsz);
        result.segments_.push_back(std::move(s));
    }
    if (result.segments_.empty()) in.fail("has nothing to load");

    std::vector<Elf32_Shdr> sections;
    for (unsigned i = 0; i < header.e_shnum; ++i)
        sections.push_back(
            in.get<Elf32_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf32_Shdr), "section header"));
    for (const Elf32_Shdr& table : sections) {
        if (table.sh_type != SHT_SYMTAB) continue;
        if (table.sh_link >= sections.size()) in.fail("has symbols without names");
        for (std::uint64_t at = 0; at + sizeof(Elf32_Sym) <= table.sh_size; at += sizeof(Elf32_Sym)) {
            const auto s = in.get<Elf32_Sym>(table.sh_offset + at, "symbol table");
            const unsigned type = ELF32_ST_TYPE(s.st_info);
            if (s.st_name == 0 || s.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE) continue;
            symbol named{in.text(std::uint64_t{sections[table.sh_link].sh_offset} + s.st_name), s.st_value, s.st_size};
            // Labels of assembly are routines as well, unless they are local to their file.
            const Elf32_Shdr* const home = s.st_shndx < sections.size() ? &sections[s.st_shndx] : nullptr;
            const bool code = home && (home->sh_flags & SHF_EXECINSTR) && s.st_value - home->sh_addr < home->sh_size;
            if (type == STT_FUNC || (code && ELF32_ST_BIND(s.st_info) == STB_GLOBAL))
                result.functions_.push_back(named);
            result.symbols_.push_back(std::move(named));
        }
    }
    std::stable_sort(result.functions_.begin(), result.functions_.end(),
                     [](const symbol& a, const symbol& b) { return a.address < b.address; });
    const auto again = std::unique(result.functions_.begin(), result.functions_.end(),
                                   [](const symbol& a, const symbol& b) { return a.address == b.address; });
    result.functions_.erase(again, result.functions_.end());
    return result;
}

std::uint32_t elf_file::address_of(std::string_view symbol) const {
    for (const auto& s : symbols_) {
        if (s.name == symbol) return s.address;
    }
    throw elf_error(fmt::format("{}: has no symbol '{}'", name_, symbol));
}

}  // namespace contraflow::iss
