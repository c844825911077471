// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace contraflow::test {

namespace fs = std::filesystem;

command::command(std::vector<std::string> words, const fs::path& directory, const std::function<void()>& in_child) {
    static int serial = 0;
    const fs::path base =
        fs::temp_directory_path() / ("command-" + std::to_string(::getpid()) + "-" + std::to_string(serial++));
    out_ = base.string() + ".out";
    err_ = base.string() + ".err";
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
        if (::chdir(directory.c_str()) != 0) ::_exit(126);
        if (in_child) in_child();
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(out);
    ::close(err);
}

command::~command() {
    if (pid_ > 0) {
        send(SIGKILL);
        wait();
    }
    fs::remove(out_);
    fs::remove(err_);
}

void command::send(int signal) const { ::kill(pid_, signal); }

std::string command::errors() const { return read_file(err_); }

bool command::wait_for(const std::string& text) const {
    const auto printed = [&] {
        return read_file(out_).find(text) != std::string::npos || read_file(err_).find(text) != std::string::npos;
    };
    for (;;) {
        siginfo_t ended{};
        ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
        if (printed()) return true;
        if (ended.si_pid != 0) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

outcome command::wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out_), read_file(err_)};
}

std::string page_without_origin(const fs::path& file) {
    std::string page = read_file(file);
    const auto begin = page.find("\"origin\":{\"command\":");
    const auto end = page.find("\"}", begin);
    if (begin == std::string::npos || end == std::string::npos) throw std::runtime_error("a page without origin");
    return page.erase(begin, end - begin);
}

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

scratch::scratch() {
    std::string name = (fs::temp_directory_path() / "contraflow-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = fs::canonical(name);
}

std::vector<std::string> scratch::names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path_)) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
}

void scratch::write(const std::string& name, const std::string& content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
}

}  // namespace contraflow::test
