// SPDX-License-Identifier: Apache-2.0
// The facts about a C++ type for reading, printing and documenting. fields.h fills it in; the code that uses it
// does not depend on the type.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace contraflow::config {

// free: a free_value, whose form is not described.
enum class shape { boolean, number, text, quantity, choice, structure, list, optional, free };

struct structure;

// A key or choice of earlier versions and its present name; or both as paths, where a key has moved.
struct renamed_key {
    std::string was, is;
};

// A key of earlier versions that has no successor.
struct removed_key {
    std::string was, why;
};

struct type_description {
    shape form = shape::text;
    std::string_view name;     // "whole number", "size", "text"
    std::string_view accepts;  // for messages: "a whole number"

    // Scalars. `read` takes a scalar's text and returns an error message, or an empty text.
    std::string (*read)(std::string_view text, bool is_quoted, void* value) = nullptr;
    std::string (*write)(const void* value) = nullptr;  // unquoted
    bool (*less)(const void* a, const void* b) = nullptr;
    bool (*power_of_two)(const void* value) = nullptr;
    bool whole = false;                // a number without a fraction
    std::string_view pattern;          // a quantity's text as an ECMA regular expression
    std::string lowest, highest;       // a number's own limits, as text; empty: not shown
    std::vector<std::string> choices;  // an enum's names
    std::vector<renamed_key> renamed;  // names that choices had in earlier versions

    // Lists, and optionals as lists of at most one.
    const type_description* (*element)() = nullptr;
    std::size_t (*size)(const void* container) = nullptr;
    const void* (*at)(const void* container, std::size_t i) = nullptr;
    void (*resize)(void* container, std::size_t n) = nullptr;  // to fresh elements

    // Structs; asked when needed, since a struct may hold a list of its own kind.
    const structure& (*members)() = nullptr;
};

// A value of any numeric or quantity type.
struct bound {
    alignas(8) std::array<std::byte, 8> raw{};
    template <class T> static bound of(const T& value) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
        bound b;
        std::memcpy(b.raw.data(), &value, sizeof(T));
        return b;
    }
    const void* get() const { return raw.data(); }
};

struct field {
    std::string key, unit, text;
    const type_description* type = nullptr;
    std::size_t offset = 0;  // in the struct
    bool required = false, power_of_two = false;
    bool decides = false;            // which of the struct's other keys are meant
    std::optional<bound> low, high;  // for the scalar, also inside a list or optional
    struct check {
        std::function<bool(const void*)> holds;  // for the whole field, or for an optional's content
        std::string allowed;
    };
    std::vector<check> checks;

    const void* in(const void* object) const { return static_cast<const std::byte*>(object) + offset; }
    void* in(void* object) const { return static_cast<std::byte*>(object) + offset; }
};

// The part that a struct has chosen, and its fields. Null if the choice is wrong.
struct chosen_part {
    const structure* members = nullptr;
    void* object = nullptr;
};

struct structure {
    std::vector<field> fields;
    std::vector<renamed_key> renamed;
    std::vector<removed_key> removed;
    std::shared_ptr<const void> defaults;           // a default-made object
    std::shared_ptr<void> (*make)() = nullptr;      // another one
    chosen_part (*chosen)(void* object) = nullptr;  // null if there is nothing to choose; see `chooses` in fields.h
    void (*settle)(void* object, const void* like) = nullptr;

    const field* find(std::string_view key) const;
    // The key whose value determines which others are meant; null if none does.
    const field* decider() const;
    std::vector<std::string> keys() const;

    chosen_part part_of(const void* object) const;
    // The value of a key, in the object itself or in its chosen part; null if there is none.
    struct place {
        const field* member = nullptr;
        void* value = nullptr;
    };
    place find_in(void* object, std::string_view key) const;
    std::vector<std::string> keys_of(const void* object) const;
    // The present name of an old key, in the object itself or in its chosen part; "" if there is none.
    std::string_view new_name(const void* object, std::string_view old_key) const;
    // Why an old key is gone, in the object itself or in its chosen part; "" if it never was.
    std::string_view reason_of_removal(const void* object, std::string_view old_key) const;
    // The present paths of what stood at this one, "gpu.sockets", in an earlier version: of itself, or of all it held.
    std::vector<std::string> new_paths(std::string_view old_path) const;
    // Whether this struct or one inside it makes a choice. Lists and optionals do not count.
    bool has_choice() const;
    // Makes the same choices as in `like`.
    void settle_all(void* object, const void* like) const;
};

// The type below lists and optionals.
const type_description& scalar_of(const type_description& type);
// "1 to 64", "at least 1, a power of two"; "" if everything is allowed.
std::string allowed_text(const field& f);

}  // namespace contraflow::config
