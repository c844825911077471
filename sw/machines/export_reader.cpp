// SPDX-License-Identifier: Apache-2.0
#include "machines/export_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <hwloc.h>

#include "machines/xml_reader.h"

namespace contraflow::machines {
namespace {

constexpr unsigned newest_format = 2;  // <topology version="2.0">; hwloc 1.x wrote none

// Takes hexadecimal digits and given characters from the front of a text.
class scanner {
public:
    explicit scanner(std::string_view text) : rest_(text) {}
    scanner& hex(unsigned& value) {
        const auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, 16);
        ok_ = ok_ && ec == std::errc{};
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return *this;
    }
    scanner& text(std::string_view expected) {
        ok_ = ok_ && rest_.starts_with(expected);
        rest_.remove_prefix(std::min(expected.size(), rest_.size()));
        return *this;
    }
    bool ok() const { return ok_; }
    bool all() const { return ok_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool ok_ = true;
};

// An open element, and the object that it becomes when it closes.
struct frame {
    enum class kind { element, package, host, pci, os, matrix } what = kind::element;
    std::optional<std::size_t> package;
    host_bridge host;
    pci_object pci;
    os_device os;
};

class export_reader {
public:
    explicit export_reader(std::string_view xml) : text_(xml), reader_(xml) {}

    std::optional<machine_export> run() {
        while (const auto tag = reader_.next()) {
            if (tag->form == xml_tag::form::close) {
                close();
                continue;
            }
            open(*tag);
            if (reader_.problem()) break;
            if (tag->form == xml_tag::form::empty) close();
        }
        if (!reader_.problem() && !has_machine_)
            reader_.fail(0, "there is no machine in it", "lstopo FILE.xml writes such a file");
        if (reader_.problem()) return std::nullopt;
        return std::move(result_);
    }
    const xml_problem& problem() const { return *reader_.problem(); }

private:
    frame* top() { return open_.empty() ? nullptr : &open_.back(); }

    void open(const xml_tag& tag) {
        frame next;
        if (top() != nullptr) next.package = top()->package;
        if (open_.empty()) {
            if (tag.name != "topology")
                return reader_.fail(tag.at, fmt::format("<{}> where <topology> is due", tag.name),
                                    "lstopo FILE.xml writes such a file");
            check_version(tag);
        } else if (tag.name == "object") {
            read_object(tag, next);
        } else if (tag.name == "info") {
            read_info(tag);
        } else if (tag.name.starts_with("distances2")) {  // and distances2hetero
            read_distances(tag, next);
        } else if (tag.name == "indexes" && in_matrix_) {
            read_indexes(tag);
        } else if (tag.name == "u64values" && in_matrix_) {
            read_numbers(content_of(tag), result_.objects.bandwidths.back().mb_per_s);
        }
        open_.push_back(std::move(next));
    }

    void close() {
        frame done = std::move(open_.back());
        open_.pop_back();
        if (done.what == frame::kind::matrix) {
            in_matrix_ = false;
            if (!has_device_) result_.objects.bandwidths.pop_back();
        }
        if (done.what == frame::kind::host) result_.objects.host_bridges.push_back(std::move(done.host));
        if (done.what == frame::kind::os && top() != nullptr && top()->what == frame::kind::pci)
            top()->pci.os_devices.push_back(std::move(done.os));
        if (done.what != frame::kind::pci) return;
        if (top() != nullptr && top()->what == frame::kind::host)
            top()->host.below.push_back(std::move(done.pci));
        else if (top() != nullptr && top()->what == frame::kind::pci)
            top()->pci.below.push_back(std::move(done.pci));
        else
            result_.objects.has_loose_devices = true;
    }

    // The value of a required attribute. If it is missing: empty, and a problem is reported.
    xml_attribute needed(const xml_tag& tag, std::string_view name) {
        if (const auto* found = tag.find(name)) return *found;
        reader_.fail(tag.at, fmt::format("an object without '{}'", name), "the file is damaged");
        return {};
    }

    void wrong(const xml_attribute& a, std::string_view such_as) {
        reader_.fail(a.at, fmt::format("{} is no {}", config::quoted(a.value), a.name),
                     fmt::format("such as '{}'", such_as));
    }

    void read_object(const xml_tag& tag, frame& next) {
        const auto type = needed(tag, "type").value;
        if (type == "Machine" && std::exchange(has_machine_, true))
            return reader_.fail(tag.at, "a second machine", "one export holds one machine");
        if (type == "Package" || type == "Socket") {  // the latter in hwloc 1.x
            next.what = frame::kind::package;
            next.package = result_.objects.packages.size();
            result_.objects.packages.push_back({static_cast<unsigned>(result_.objects.packages.size()), {}});
            if (const auto* number = tag.find("os_index")) {
                auto& package = result_.objects.packages.back();
                std::from_chars(number->value.data(), number->value.data() + number->value.size(), package.number);
            }
        } else if (type == "Bridge") {
            const auto kind = needed(tag, "bridge_type");
            if (kind.value.starts_with("0-")) {
                next.what = frame::kind::host;
                next.host.package = next.package;
                const auto buses = needed(tag, "bridge_pci");
                if (!scanner(buses.value).hex(next.host.domain).text(":[").hex(next.host.first_bus).ok())
                    wrong(buses, "0000:[00-1f]");
            } else if (kind.value.starts_with("1-")) {
                read_pci(tag, next);
                next.pci.is_bridge = true;
            } else {
                wrong(kind, "0-1");
            }
        } else if (type == "PCIDev") {
            read_pci(tag, next);
        } else if (type == "OSDev") {
            next.what = frame::kind::os;
            if (const auto* name = tag.find("name")) next.os.name = unescape(name->value);
            if (const auto* kind = tag.find("osdev_type")) {
                static constexpr std::array kinds{os_device_kind::storage, os_device_kind::gpu,
                                                  os_device_kind::network, os_device_kind::openfabrics,
                                                  os_device_kind::dma,     os_device_kind::coprocessor};
                unsigned number = 0;
                std::from_chars(kind->value.data(), kind->value.data() + kind->value.size(), number);
                if (number < kinds.size()) next.os.kind = kinds[number];
            }
        }
    }

    void read_pci(const xml_tag& tag, frame& next) {
        next.what = frame::kind::pci;
        auto& pci = next.pci;
        const auto busid = needed(tag, "pci_busid");
        const auto type = needed(tag, "pci_type");
        if (reader_.problem()) return;
        if (!scanner(busid.value)
                 .hex(pci.at.domain)
                 .text(":")
                 .hex(pci.at.bus)
                 .text(":")
                 .hex(pci.at.device)
                 .text(".")
                 .hex(pci.at.function)
                 .all())
            wrong(busid, "0000:3b:00.0");
        if (!scanner(type.value)
                 .hex(pci.class_code)
                 .text(" [")
                 .hex(pci.vendor_id)
                 .text(":")
                 .hex(pci.device_id)
                 .text("]")
                 .ok())
            wrong(type, "0302 [10de:20b0] [10de:134f] a1");
        if (const auto* speed = tag.find("pci_link_speed")) {
            const auto* const end = speed->value.data() + speed->value.size();
            const auto [after, ec] = std::from_chars(speed->value.data(), end, pci.gb_per_s);
            if (ec != std::errc{} || after != end || !std::isfinite(pci.gb_per_s) || pci.gb_per_s < 0)
                wrong(*speed, "15.753846");
        }
    }

    // Bandwidths between devices are links beside PCIe. Those between cores or memories are not.
    void read_distances(const xml_tag& tag, frame& next) {
        const auto* const name = tag.find("name");
        const auto* const objects = tag.find("nbobjs");
        const auto* const kind = tag.find("kind");
        const auto* const type = tag.find("type");
        if (name == nullptr || objects == nullptr || kind == nullptr) return;
        unsigned long bits = 0;
        std::from_chars(kind->value.data(), kind->value.data() + kind->value.size(), bits);
        if ((bits & HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH) == 0) return;
        has_device_ = type != nullptr && is_device(type->value);
        if (type != nullptr && !has_device_) return;  // without a type, in <distances2hetero>, each index has one
        auto& matrix = result_.objects.bandwidths.emplace_back();
        matrix.name = unescape(name->value);
        std::from_chars(objects->value.data(), objects->value.data() + objects->value.size(), matrix.objects);
        in_matrix_ = true;
        next.what = frame::kind::matrix;
    }

    static bool is_device(std::string_view type) { return type == "OSDev" || type == "PCIDev"; }

    // "OSDev:8 PCIDev:9 " where types are mixed.
    void read_indexes(const xml_tag& tag) {
        const auto text = content_of(tag);
        has_device_ = has_device_ || text.find("OSDev:") != text.npos || text.find("PCIDev:") != text.npos;
    }

    // Up to the closing tag; a matrix may come in several pieces.
    std::string_view content_of(const xml_tag& tag) const {
        const auto begin = text_.find('>', tag.at) + 1;
        return text_.substr(begin, text_.find('<', begin) - begin);
    }

    // Numbers with spaces between them.
    static void read_numbers(std::string_view text, std::vector<std::uint64_t>& into) {
        while (!text.empty()) {
            std::uint64_t number = 0;
            const auto [after, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
            if (ec == std::errc{}) into.push_back(number);
            text.remove_prefix(ec == std::errc{} ? static_cast<std::size_t>(after - text.data()) : 1);
        }
    }

    void read_info(const xml_tag& tag) {
        const auto* const key = tag.find("name");
        const auto* const value = tag.find("value");
        if (key == nullptr || value == nullptr) return;
        auto& about = *top();
        const auto is = [&](frame::kind what, std::string_view name) {
            return about.what == what && key->value == name;
        };
        if (key->value == "hwlocVersion") result_.written_by = unescape(value->value);
        if (is(frame::kind::package, "CPUModel"))
            result_.objects.packages[*about.package].model = unescape(value->value);
        if (is(frame::kind::pci, "PCIVendor")) about.pci.vendor = unescape(value->value);
        if (is(frame::kind::pci, "PCIDevice")) about.pci.model = unescape(value->value);
        if (is(frame::kind::os, "GPUVendor")) about.os.vendor = unescape(value->value);
        if (is(frame::kind::os, "GPUModel")) about.os.model = unescape(value->value);
    }

    void check_version(const xml_tag& tag) {
        const auto* const version = tag.find("version");
        if (version == nullptr) return;
        unsigned major = 0;
        unsigned minor = 0;
        const auto* const end = version->value.data() + version->value.size();
        const auto [dot, ec] = std::from_chars(version->value.data(), end, major);
        if (ec != std::errc{} || dot == end || *dot != '.' || std::from_chars(dot + 1, end, minor).ec != std::errc{})
            return wrong(*version, "2.0");
        if (major > newest_format || (major == newest_format && minor > 0))
            reader_.fail(tag.at,
                         fmt::format("the export has format version {}, and hwloc {} here knows {}.0", version->value,
                                     library_version(), newest_format),
                         fmt::format("write it again with 'lstopo --export-xml-flags v2 FILE.xml', or with hwloc {}.x",
                                     newest_format));
    }

    std::string_view text_;
    xml_reader reader_;
    std::vector<frame> open_;
    bool in_matrix_ = false;   // of bandwidths: the last one
    bool has_device_ = false;  // among its objects
    bool has_machine_ = false;
    machine_export result_;
};

std::array<unsigned, 2> numbers_of(std::string_view version) {
    std::array<unsigned, 2> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (auto& number : numbers) {
        const auto [after, ec] = std::from_chars(at, end, number);
        if (ec != std::errc{} || after == end || *after != '.') break;
        at = after + 1;
    }
    return numbers;
}

}  // namespace

std::optional<machine_export> read_export(const config::source& xml, config::diagnostics& diag) {
    export_reader reader(xml.text);
    auto read = reader.run();
    if (read) return read;
    const auto& p = reader.problem();
    diag.add_source(xml.name, xml.text);
    diag.error({xml.name, p.line, p.column}, p.message, p.hint);
    return std::nullopt;
}

std::string library_version() { return HWLOC_VERSION; }

bool newer_than_library(std::string_view version) { return numbers_of(version) > numbers_of(library_version()); }

}  // namespace contraflow::machines
