// SPDX-License-Identifier: Apache-2.0
// A program for an RV32 core: an executable ELF file, read and checked as a whole.
// Source: System V ABI, "ELF header", "Program header", "Symbol table"; RISC-V ELF psABI, version 1.0, 8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::iss {

// "firmware.elf: error: is for x86-64; a RISC-V program of 32 bits is wanted", one line.
class elf_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class elf_file {
public:
    struct segment {
        std::uint32_t address = 0;
        std::vector<std::uint8_t> bytes;  // bytes not in the file are 0
    };
    struct symbol {
        std::string name;
        std::uint32_t address = 0;
        std::uint32_t size = 0;  // 0: unknown
    };

    static elf_file read(const std::filesystem::path& path);
    // Errors begin with `name`.
    static elf_file parse(std::string_view contents, const std::string& name);

    std::uint32_t entry() const { return entry_; }
    const std::vector<segment>& segments() const { return segments_; }
    const std::vector<symbol>& functions() const { return functions_; }  // by address; one for each address
    // Takes any symbol; an unknown one is an elf_error.
    std::uint32_t address_of(std::string_view symbol) const;
    const std::string& name() const { return name_; }

private:
    explicit elf_file(std::string name) : name_(std::move(name)) {}

    std::string name_;
    std::uint32_t entry_ = 0;
    std::vector<segment> segments_;
    std::vector<symbol> functions_;
    std::vector<symbol> symbols_;
};

}  // namespace contraflow::iss
