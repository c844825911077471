// SPDX-License-Identifier: Apache-2.0
#include "iss/gdb_server.h"

#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/little_endian.h"
#include "iss/rv32_core.h"

namespace contraflow::iss {
namespace {

constexpr unsigned registers = 33;  // x0 to x31 and pc
constexpr std::size_t largest_packet = 16u << 10;
constexpr char interrupt_byte = 3;  // Ctrl-C

constexpr std::string_view target_description = R"(<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
<architecture>riscv:rv32</architecture>
<feature name="org.gnu.gdb.riscv.cpu">
)";

std::string target_xml() {
    static constexpr std::array names{"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc"};
    std::string text(target_description);
    for (const char* name : names) {
        const std::string_view n(name);
        const char* type = n == "pc" || n == "ra"                             ? "code_ptr"
                           : n == "sp" || n == "gp" || n == "tp" || n == "fp" ? "data_ptr"
                                                                              : "int";
        text += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\"/>\n", n, type);
    }
    return text + "</feature>\n</target>\n";
}

std::optional<unsigned> digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

// Takes a hexadecimal number from the beginning of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
    std::uint32_t value = 0;
    std::size_t n = 0;
    for (; n < text.size() && digit(text[n]); ++n) value = value << 4 | *digit(text[n]);
    if (n == 0) return std::nullopt;
    text.remove_prefix(n);
    return value;
}

bool take(std::string_view& text, std::string_view what) {
    if (!text.starts_with(what)) return false;
    text.remove_prefix(what.size());
    return true;
}

std::string hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    for (const auto b : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", b);
    return text;
}

std::optional<std::vector<std::uint8_t>> unhex(std::string_view text) {
    std::vector<std::uint8_t> bytes;
    if (text.size() % 2 != 0) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = digit(text[i]), low = digit(text[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(*high << 4 | *low));
    }
    return bytes;
}

// Registers are sent with their lowest byte first.
std::string register_text(std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes;
    core::store_le<std::uint32_t>(bytes.data(), value);
    return hex(bytes);
}

std::optional<std::uint32_t> register_value(std::string_view text) {
    const auto bytes = unhex(text);
    if (!bytes || bytes->size() != 4) return std::nullopt;
    return core::load_le<std::uint32_t>(bytes->data());
}

std::string stop_text(const stop_reason& why) {
    using kind = stop_reason::kind;
    switch (why.what) {
    case kind::watchpoint:
        return fmt::format("T05{}:{:x};",
                           why.watched == watch_kind::write  ? "watch"
                           : why.watched == watch_kind::read ? "rwatch"
                                                             : "awatch",
                           why.address);
    case kind::breakpoint: return "T05hwbreak:;";
    case kind::asked: return "S02";  // SIGINT
    case kind::crash: return "S0b";  // SIGSEGV
    case kind::begin:
    case kind::step: break;
    }
    return "S05";  // SIGTRAP
}

}  // namespace

gdb_server::gdb_server(std::uint16_t port, std::function<bool()> keep_going) : keep_going_(std::move(keep_going)) {
    const auto fail = [this, port](const char* what) {
        const int error = errno;
        if (listener_ >= 0) ::close(listener_);
        throw std::system_error(error, std::generic_category(), fmt::format("port {} for gdb: {}", port, what));
    };
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener_ < 0) fail("no socket");
    const int yes = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("cannot be had");
    if (::listen(listener_, 1) != 0) fail("cannot be listened to");
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
}

gdb_server::~gdb_server() {
    if (connection_ >= 0) {
        if (told_) send("W00");
        ::close(connection_);
    }
    ::close(listener_);
}

// False: the wait was given up.
bool gdb_server::wait_for_input(int from) const {
    constexpr int between_looks_ms = 20;
    pollfd look{from, POLLIN, 0};
    while (::poll(&look, 1, keep_going_ ? between_looks_ms : -1) <= 0)
        if (keep_going_ && !keep_going_()) return false;
    return true;
}

bool gdb_server::connect() {
    while (connection_ < 0) {
        if (!wait_for_input(listener_)) return false;
        connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection_ < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "gdb: accept");
    }
    const int yes = 1;
    ::setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    met_ = acknowledges_ = true;
    told_ = false;
    input_.clear();
    read_ = 0;
    return true;
}

void gdb_server::lost() {
    ::close(connection_);
    connection_ = -1;
}

int gdb_server::next_byte() {
    if (read_ == input_.size()) {
        if (!wait_for_input(connection_)) return -1;
        std::array<char, 4096> buffer;
        ssize_t n = 0;
        do { n = ::recv(connection_, buffer.data(), buffer.size(), 0); } while (n < 0 && errno == EINTR);
        if (n <= 0) return -1;
        input_.assign(buffer.data(), static_cast<std::size_t>(n));
        read_ = 0;
    }
    return static_cast<unsigned char>(input_[read_++]);
}

// The next packet; false if the debugger has gone, or the wait for it was given up.
bool gdb_server::receive(std::string& packet) {
    for (;;) {
        int c = next_byte();
        while (c >= 0 && c != '$') c = next_byte();  // acknowledgements, and Ctrl-C while the program is stopped
        if (c < 0) return false;
        packet.clear();
        unsigned sum = 0;
        for (c = next_byte(); c >= 0 && c != '#'; c = next_byte()) {
            sum += static_cast<unsigned>(c);
            packet += static_cast<char>(c);
        }
        const int high = next_byte(), low = next_byte();
        if (c < 0 || high < 0 || low < 0) return false;
        const auto a = digit(static_cast<char>(high)), b = digit(static_cast<char>(low));
        const bool right = a && b && (*a << 4 | *b) == (sum & 0xff);
        if (acknowledges_) {
            const char sign = right ? '+' : '-';
            if (::send(connection_, &sign, 1, MSG_NOSIGNAL) != 1) return false;
        }
        if (right) return true;
    }
}

void gdb_server::send(std::string_view text) {
    unsigned sum = 0;
    for (const char c : text) sum += static_cast<unsigned char>(c);
    const std::string packet = fmt::format("${}#{:02x}", text, sum & 0xff);
    for (std::size_t sent = 0; sent < packet.size();) {
        const ssize_t n = ::send(connection_, packet.data() + sent, packet.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;  // the next receive reports it
        sent += static_cast<std::size_t>(n);
    }
}

bool gdb_server::wants_stop() {
    if (connection_ < 0) return false;
    for (;;) {
        if (read_ == input_.size()) {
            pollfd look{connection_, POLLIN, 0};
            if (::poll(&look, 1, 0) <= 0) return false;
        }
        const int c = next_byte();
        if (c < 0) return true;  // gone: the program stays stopped until another one connects
        if (c == interrupt_byte) return true;
    }
}

resume gdb_server::stopped(rv32_core& core, const stop_reason& why) {
    last_stop_ = stop_text(why);
    if (connection_ >= 0 && told_) send(last_stop_);
    told_ = false;
    std::string packet;
    for (;;) {
        if (connection_ < 0 && !connect()) return resume::kill;
        if (!receive(packet)) {
            lost();
            continue;
        }
        switch (packet.empty() ? '\0' : packet[0]) {
        case 'c':
        case 's': {
            std::string_view rest = std::string_view(packet).substr(1);
            if (const auto pc = take_number(rest)) core.write_register(rv32_core::pc_register, *pc);
            told_ = true;
            return packet[0] == 'c' ? resume::go_on : resume::step;
        }
        case 'k': lost(); return resume::kill;
        case 'D':
            send("OK");
            lost();
            return resume::detach;
        default: send(answer(core, packet));
        }
        if (packet == "QStartNoAckMode") acknowledges_ = false;
        if (packet.starts_with("vKill")) {
            lost();
            return resume::kill;
        }
    }
}

std::string gdb_server::answer(rv32_core& core, const std::string& packet) {
    std::string_view rest(packet);
    const std::string error = "E01", done = "OK";
    if (rest == "?") return last_stop_;
    if (take(rest, "qSupported"))
        return fmt::format("PacketSize={:x};qXfer:features:read+;hwbreak+;QStartNoAckMode+", largest_packet);
    if (rest == "QStartNoAckMode" || rest.starts_with("vKill")) return done;
    if (rest == "qAttached") return "1";
    if (rest == "qC") return "QC1";
    if (rest == "qfThreadInfo") return "m1";
    if (rest == "qsThreadInfo") return "l";
    if (rest.starts_with("H") || rest.starts_with("T")) return done;
    if (take(rest, "qXfer:features:read:")) {
        if (!take(rest, "target.xml:")) return "E00";
        static const std::string xml = target_xml();
        const auto offset = take_number(rest);
        if (!offset || !take(rest, ",")) return error;
        const auto length = take_number(rest);
        if (!length) return error;
        if (*offset >= xml.size()) return "l";
        const std::string part = xml.substr(*offset, *length);
        return (*offset + part.size() < xml.size() ? "m" : "l") + part;
    }
    if (rest == "g") {
        std::string all;
        for (unsigned i = 0; i < registers; ++i) all += register_text(core.read_register(i));
        return all;
    }
    if (take(rest, "G")) {
        if (rest.size() < std::size_t{registers} * 8) return error;
        for (unsigned i = 0; i < registers; ++i) {
            const auto value = register_value(rest.substr(std::size_t{i} * 8, 8));
            if (!value) return error;
            core.write_register(i, *value);
        }
        return done;
    }
    if (take(rest, "p")) {
        const auto number = take_number(rest);
        return number && *number < registers ? register_text(core.read_register(*number)) : error;
    }
    if (take(rest, "P")) {
        const auto number = take_number(rest);
        if (!number || *number >= registers || !take(rest, "=")) return error;
        const auto value = register_value(rest);
        if (!value) return error;
        core.write_register(*number, *value);
        return done;
    }
    if (take(rest, "m")) {
        const auto address = take_number(rest);
        if (!address || !take(rest, ",")) return error;
        const auto length = take_number(rest);
        if (!length || *length > largest_packet / 2) return error;
        std::vector<std::uint8_t> bytes(*length);
        return core.read_memory(*address, bytes) ? hex(bytes) : error;
    }
    if (take(rest, "M")) {
        const auto address = take_number(rest);
        if (!address || !take(rest, ",")) return error;
        const auto length = take_number(rest);
        if (!length || !take(rest, ":")) return error;
        const auto bytes = unhex(rest);
        return bytes && bytes->size() == *length && core.write_memory(*address, *bytes) ? done : error;
    }
    if (rest.starts_with("Z") || rest.starts_with("z")) {
        const bool on = rest[0] == 'Z';
        rest.remove_prefix(1);
        const auto type = take_number(rest);
        if (!type || !take(rest, ",")) return error;
        const auto address = take_number(rest);
        if (!address || !take(rest, ",")) return error;
        const auto size = take_number(rest);
        if (!size) return error;
        switch (*type) {
        case 0:
        case 1: return core.set_breakpoint(*address, on) ? done : error;
        case 2: return core.set_watchpoint(watch_kind::write, *address, *size, on) ? done : error;
        case 3: return core.set_watchpoint(watch_kind::read, *address, *size, on) ? done : error;
        case 4: return core.set_watchpoint(watch_kind::access, *address, *size, on) ? done : error;
        default: return "";
        }
    }
    return "";  // not supported
}

}  // namespace contraflow::iss
