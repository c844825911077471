// SPDX-License-Identifier: Apache-2.0
// The bench of a block as a program. One mode a call:
//   vectors FILE...     cases with expected results
//   random              tests from seeds
//   directed            named tests
//   mutants FILE...     every mutant of a build that holds some, and the cases of the files
//   bugs FILE...        every bug that was planted in a build
//   lockstep            the given number of cycles against the model, only with events that the model knows
// A line a failing test, with the command that runs it again; at the end one line of totals. Exit 1 if a test failed.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/mutant_run.h"
#include "lib/run_options.h"
#include "lib/suite_if.h"

namespace {

using namespace contraflow::lib;

struct options {
    std::string mode;
    std::vector<std::string> files;
    std::uint64_t seed = 1, tests = 20, cycles = 3000;
    std::uint32_t select = 0;
    std::string test;  // vectors, directed: this one alone; empty: all
    std::string cover_file, coverage_file;
    bool keep_going = false;
    bool quiet = false;
    bool short_tests = false;  // mutants: no more than the short ones
    std::vector<std::uint32_t> mutants;
    bool long_tests = false;  // directed: the long ones, too
};

class program_run {
public:
    program_run(const options& o, const char* self)
        : options_(o),
          self_(self),
          suite_(make_suite(o.select, o.mode != "lockstep")) {}

    int run() {
        if (!suite_->reset()) ended("first reset", false, options_.mode);
        suite_->clear_coverage();  // changes by the first reset do not count as toggles
        suite_->begin_test();
        const std::clock_t begin = std::clock();  // processor time: other programs may run too
        if (options_.mode == "vectors") {
            for (const std::string& file : options_.files) suite_->vectors(file, list("vectors " + file));
        } else if (options_.mode == "random") {
            for (std::uint64_t i = 0; i < options_.tests && going(); ++i) random(options_.seed + i);
        } else if (options_.mode == "directed") {
            suite_->directed(options_.long_tests, list(options_.long_tests ? "directed --long" : "directed"));
        } else {
            const std::uint64_t piece = 20000;
            for (std::uint64_t i = 0; suite_->modelled() < options_.cycles && going(); ++i)
                lockstep(options_.seed + i, piece);
        }
        const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        if (tests_ == 0 && !options_.test.empty()) throw std::runtime_error("no such test: " + options_.test);
        totals(took);
        return failed_ == 0 ? 0 : 1;
    }

private:
    bool going() const { return failed_ == 0 || options_.keep_going; }

    test_list list(const std::string& mode) {
        return {[this](const std::string& name) { return options_.test.empty() || options_.test == name; },
                [this, mode](const std::string& name, bool good) {
                    ended(name, good, fmt::format("{} --test '{}'", mode, name));
                    return going();
                }};
    }

    void random(std::uint64_t seed) {
        suite_->begin_test();
        const bool good = suite_->random(seed, options_.cycles);
        ended(fmt::format("seed {}", seed), good,
              fmt::format("random --seed {} --tests 1 --cycles {}", seed, options_.cycles));
    }

    void lockstep(std::uint64_t seed, std::uint64_t cycles) {
        suite_->begin_test();
        const bool good = suite_->lockstep(seed, cycles);
        ended(fmt::format("seed {}", seed), good, fmt::format("lockstep --seed {} --cycles 1", seed));
    }

    void ended(const std::string& name, bool good, const std::string& again) {
        ++tests_;
        if (good) return;
        ++failed_;
        if (options_.quiet) {
            std::string checks;
            for (const std::string& c : suite_->found().checks()) checks += " " + c;
            std::cout << "fired:" << checks << "  in: " << name << '\n';
            return;
        }
        std::cout << "FAILED " << set_name() << ": " << name << '\n'
                  << suite_->found().text() << "  again: " << self_ << ' ' << again
                  << (options_.select != 0 ? fmt::format(" --select {}", options_.select) : "")
                  << fmt::format(" --contents {}", options_of_run().contents_seed) << '\n';
    }

    void totals(double seconds) {
        std::cout << fmt::format("totals: set {} mode {} tests {} failed {} modelled {}", set_name(), options_.mode,
                                 tests_, failed_, suite_->modelled());
        for (const counted& c : suite_->compared()) std::cout << ' ' << c.what << ' ' << c.number;
        std::cout << fmt::format(" seconds {:.2f}\n", seconds);
        if (!options_.cover_file.empty()) {
            std::ofstream to(options_.cover_file);
            suite_->write_cover(to);
        }
        if (!options_.coverage_file.empty()) suite_->write_coverage(options_.coverage_file);
    }

    const options options_;
    const std::string self_;
    std::unique_ptr<suite_if> suite_;
    std::uint64_t tests_ = 0, failed_ = 0;
};

// "3,7-9": 3, 7, 8 and 9.
std::vector<std::uint32_t> numbers(const std::string& list) {
    std::vector<std::uint32_t> result;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        const auto dash = word.find('-');
        const auto first = static_cast<std::uint32_t>(std::stoul(word));
        const auto last =
            dash == std::string::npos ? first : static_cast<std::uint32_t>(std::stoul(word.substr(dash + 1)));
        for (std::uint32_t n = first; n <= last; ++n) result.push_back(n);
    }
    return result;
}

options read_options(const std::vector<std::string>& words) {
    options o;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        const auto next = [&]() -> const std::string& {
            if (i + 1 == words.size()) throw std::runtime_error(w + " wants a value");
            return words[++i];
        };
        if (w == "--seed")
            o.seed = std::stoull(next());
        else if (w == "--tests")
            o.tests = std::stoull(next());
        else if (w == "--test")
            o.test = next();
        else if (w == "--cycles")
            o.cycles = std::stoull(next());
        else if (w == "--select")
            o.select = static_cast<std::uint32_t>(std::stoul(next()));
        else if (w == "--cover")
            o.cover_file = next();
        else if (w == "--coverage")
            o.coverage_file = next();
        else if (w == "--keep-going")
            o.keep_going = true;
        else if (w == "--long")
            o.long_tests = true;
        else if (w == "--short")
            o.short_tests = true;
        else if (w == "--mutants")
            o.mutants = numbers(next());
        else if (w == "--contents")
            options_of_run().contents_seed = std::stoull(next());
        else if (w == "--wave")
            options_of_run().wave_file = next();
        else if (w == "--quiet")
            o.quiet = true;
        else if (w == "--by-pins")
            options_of_run().by_pins = true;
        else if (w.starts_with('-'))
            throw std::runtime_error("no option " + w);
        else if (o.mode.empty())
            o.mode = w;
        else
            o.files.push_back(w);
    }
    constexpr std::array modes{"vectors", "random", "directed", "lockstep", "mutants", "bugs"};
    if (std::find(modes.begin(), modes.end(), o.mode) == modes.end())
        throw std::runtime_error("a mode is wanted: vectors, random, directed, lockstep, mutants or bugs");
    return o;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const options o = read_options({argv + 1, argv + argc});
        if (o.mode == "mutants")
            run_mutants({o.mutants, o.files, !o.short_tests});
        else if (o.mode == "bugs")
            run_bugs({o.mutants, o.files, true});
        else
            return program_run(o, argv[0]).run();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 2;
    }
}
