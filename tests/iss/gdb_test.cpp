// SPDX-License-Identifier: Apache-2.0
// A real gdb-multiarch debugs the receiving program.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iss/gdb_server.h"
#include "machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace iss_test;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

namespace gdb_test {

const std::string receive_elf = CF_FIRMWARE "/iss_receive.elf";

struct session {
    std::string said;   // output of gdb
    std::string ended;  // message of the exception that ended the run
    std::vector<bus_event> accesses;
};

pid_t start_gdb(std::uint16_t port, const std::string& script, const std::string& output) {
    const std::string target = "target remote localhost:" + std::to_string(port);
    const pid_t child = ::fork();
    if (child != 0) return child;
    if (!std::freopen(output.c_str(), "w", stdout) || !std::freopen(output.c_str(), "a", stderr)) ::_exit(126);
    ::execlp("timeout", "timeout", "900", "gdb-multiarch", "-nx", "-batch", "-ex", "set confirm off", "-ex",
             "set tcp connect-timeout 600", "-ex", target.c_str(), "-x", script.c_str(), receive_elf.c_str(), nullptr);
    ::_exit(127);
}

// The machine with a packet every 1000 cycles and a debugger that is given these commands.
session debug(const std::string& commands, bool attached = true) {
    session s;
    const std::string script = ::testing::TempDir() + "iss_gdb_" + std::to_string(::getpid());
    std::ofstream(script) << commands;
    const std::string output = script + ".out";

    machine m;
    m.core.load(iss::elf_file::read(receive_elf));
    for (unsigned i = 1; i <= 20; ++i) m.interrupt_at(i * 1000 * cycle_ps);
    m.device.values[0x10] = 100;
    pid_t child = -1;
    {
        iss::gdb_server server(0);
        if (attached) {
            m.core.set_debugger(&server);
            child = start_gdb(server.port(), script, output);
        }
        try {
            m.run_cycles(21'000);
        } catch (const std::exception& e) { s.ended = e.what(); }
        m.core.set_debugger(nullptr);
    }
    s.accesses = m.device.accesses;
    if (attached) ::waitpid(child, nullptr, 0);
    std::ifstream in(output);
    s.said.assign(std::istreambuf_iterator<char>(in), {});
    return s;
}

TEST(Gdb, breaks_prints_watches_steps_and_kills) {
    const session s = debug("break receive\n"
                            "continue\n"
                            "print *p\n"
                            "print/x p->words\n"
                            "watch total\n"
                            "continue\n"
                            "print total\n"
                            "stepi\n"
                            "continue\n"
                            "print p->source\n"
                            "backtrace\n"
                            "set var current.words[0] = 1000\n"
                            "print p->words[0]\n"
                            "info registers pc\n"
                            "kill\n");
    EXPECT_THAT(s.said, HasSubstr("{source = 7, length = 3, words = {100, 101, 102}}"));
    EXPECT_THAT(s.said, HasSubstr("{0x64, 0x65, 0x66}"));
    EXPECT_THAT(s.said, HasSubstr("Old value = 0"));
    EXPECT_THAT(s.said, HasSubstr("New value = 303"));
    EXPECT_THAT(s.said, HasSubstr("= 303"));
    EXPECT_THAT(s.said, HasSubstr("= 8\n"));  // the next packet's source
    EXPECT_THAT(s.said, HasSubstr("in main ()"));
    EXPECT_THAT(s.said, HasSubstr("= 1000"));
    EXPECT_EQ(s.ended, "core: killed by the debugger");
}

// Inspection takes no simulated time, and a run under the debugger is the same as one without.
TEST(Gdb, leaves_the_run_as_it_is) {
    const session alone = debug("", false);
    const session debugged = debug("break receive\n"
                                   "continue\n"
                                   "stepi 20\n"
                                   "delete\n"
                                   "watch total\n"
                                   "continue\n"
                                   "delete\n"
                                   "detach\n");
    EXPECT_THAT(debugged.said, HasSubstr("New value = 303"));
    EXPECT_EQ(debugged.ended, "");
    EXPECT_EQ(alone.accesses, debugged.accesses);
    EXPECT_EQ(alone.accesses.size(), 20u * 5);
}

// --- packets by hand ------------------------------------------------------------------------------------------------

class line {
public:
    explicit line(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    }
    ~line() { ::close(socket_); }
    bool connected() const { return connected_; }
    void raw(const std::string& text) {
        EXPECT_EQ(::send(socket_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    std::string ask(const std::string& packet) {
        unsigned sum = 0;
        for (const char c : packet) sum += static_cast<unsigned char>(c);
        char end[4];
        std::snprintf(end, sizeof end, "#%02x", sum & 0xff);
        raw("$" + packet + end);
        return hear();
    }
    std::string hear() {
        std::string all;
        char c = 0;
        while (c != '$') {
            if (::recv(socket_, &c, 1, 0) != 1) return "gone";
        }
        while (::recv(socket_, &c, 1, 0) == 1) {
            if (c != '#') {
                all += c;
                continue;
            }
            char sum[2];
            EXPECT_EQ(::recv(socket_, sum, 2, MSG_WAITALL), 2);
            return all;
        }
        return "gone";
    }

private:
    int socket_;
    bool connected_ = false;
};

TEST(Gdb, serves_each_packet_of_the_protocol) {
    machine m;
    // 0: x1 = 5; 4: x11 = data; 8: store; 12: load; 16: for ever
    m.program({addi(1, 0, 5), lui(11, data_base), sw(1, 11, 0), lw(2, 11, 0), jal(0, 0)});
    m.device.values[0x20] = 0x1234'5678;
    iss::gdb_server server(0);
    m.core.set_debugger(&server);
    std::thread debugger([&] {
        line gdb(server.port());
        EXPECT_TRUE(gdb.connected());
        EXPECT_THAT(gdb.ask("qSupported:xmlRegisters=i386"), HasSubstr("qXfer:features:read+"));
        EXPECT_EQ(gdb.ask("?"), "S05");
        EXPECT_THAT(gdb.ask("qXfer:features:read:target.xml:0,ffb"),
                    HasSubstr("<architecture>riscv:rv32</architecture>"));
        EXPECT_EQ(gdb.ask("p20"), "00000000");
        EXPECT_EQ(gdb.ask("s"), "S05");
        EXPECT_EQ(gdb.ask("p1"), "05000000");
        EXPECT_EQ(gdb.ask("p20"), "04000000");
        EXPECT_EQ(gdb.ask("P1=44332211"), "OK");
        EXPECT_EQ(gdb.ask("g").substr(8, 8), "44332211");
        EXPECT_EQ(gdb.ask("Z0,10,2"), "OK");
        EXPECT_EQ(gdb.ask("Z2,100000,4"), "OK");
        EXPECT_EQ(gdb.ask("Z3,100000,4"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05watch:100000;");
        EXPECT_EQ(gdb.ask("m100000,4"), "44332211");
        EXPECT_EQ(gdb.ask("p20"), "0c000000");  // after the store
        EXPECT_EQ(gdb.ask("M100000,2:beef"), "OK");
        EXPECT_EQ(gdb.ask("c"), "T05rwatch:100000;");
        EXPECT_EQ(gdb.ask("p2"), "beef2211");
        EXPECT_EQ(gdb.ask("c"), "T05hwbreak:;");
        EXPECT_EQ(gdb.ask("p20"), "10000000");
        EXPECT_EQ(gdb.ask("z0,10,2"), "OK");
        EXPECT_EQ(gdb.ask("m40000020,4"), "78563412");  // over the bus, without time
        EXPECT_EQ(gdb.ask("m50000000,4"), "E01");       // no device there
        EXPECT_EQ(gdb.ask("Z0,40000000,2"), "E01");     // no code there
        EXPECT_EQ(gdb.ask("vMustReplyEmpty"), "");
        EXPECT_EQ(gdb.ask("P99=00000000"), "E01");
        EXPECT_EQ(gdb.ask("mzz"), "E01");
        // Code that is written is the code that runs: x3 = 9, then for ever.
        EXPECT_EQ(gdb.ask("M10,8:930190006f000000"), "OK");
        EXPECT_EQ(gdb.ask("s"), "S05");
        EXPECT_EQ(gdb.ask("p3"), "09000000");
        // Ctrl-C in an endless loop.
        gdb.raw("$c#63");
        gdb.raw("\x03");
        EXPECT_EQ(gdb.hear(), "S02");
        EXPECT_EQ(gdb.ask("p20"), "14000000");
        gdb.raw("$k#6b");
    });
    EXPECT_THROW(m.simulation.run(), iss::killed_by_debugger);
    debugger.join();
    EXPECT_TRUE(m.device.accesses.empty());
}

// Without a debugger, and with one that stays silent at a stop.
TEST(Gdb, a_wait_for_a_debugger_can_be_given_up) {
    for (const bool connected : {false, true}) {
        machine m;
        m.program({nop, jal(0, 0)});
        std::atomic<bool> stop{!connected};
        iss::gdb_server server(0, [&] { return !stop; });
        m.core.set_debugger(&server);
        std::thread debugger([&] {
            if (!connected) return;
            line gdb(server.port());
            EXPECT_EQ(gdb.ask("?"), "S05");
            stop = true;
            EXPECT_EQ(gdb.hear(), "gone");
        });
        try {
            m.simulation.run();
            ADD_FAILURE();
        } catch (const iss::killed_by_debugger& e) {
            EXPECT_STREQ(e.meanwhile(), connected ? "a debugger had its firmware" : "it waited for a debugger");
        }
        debugger.join();
    }
}

TEST(Gdb, a_crash_is_shown_before_the_run_ends) {
    machine m;
    m.program({nop, 0});
    iss::gdb_server server(0);
    m.core.set_debugger(&server);
    std::thread debugger([&] {
        line gdb(server.port());
        EXPECT_EQ(gdb.ask("c"), "S0b");
        EXPECT_EQ(gdb.ask("p20"), "04000000");
        gdb.raw("$c#63");
    });
    EXPECT_THROW(m.simulation.run(), iss::firmware_crash);
    debugger.join();
}

}  // namespace gdb_test
