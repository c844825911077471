// SPDX-License-Identifier: Apache-2.0
// How a struct describes its fields, once: name, range, unit, text; the default is the member's initialiser.
//   static void describe(config::fields<spec>& f) { f("lanes", &spec::lanes).in(1, 64).text("lanes of the link"); }
// From it come reading, --set, --print-config, --describe, the JSON schema and the docs' table.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/description/free_value.h"
#include "config/description/scalars.h"
#include "config/description/type_description.h"
#include "core/units.h"

namespace contraflow::config {

// The names of an enum's values; to be specialised:
//   template <> struct config::enum_names<colour> { static constexpr std::array names{std::pair{colour::red, "red"}};
//   };
template <class Enum> struct enum_names;

// The name of an enum's value in a configuration.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view name_of(Enum e) {
    for (const auto& [value, name] : enum_names<Enum>::names)
        if (value == e) return name;
    return {};
}

template <class S> class fields;

template <class S>
concept described = std::is_class_v<S> && requires(fields<S>& f) {
    S::describe(f);
};

// A struct whose fields determine its other keys: {name: multigrid, grid: 128}. All sources are first read for
// the choice; settle() makes the chosen part, which may choose in turn; the other keys are read into it. Not in lists.
template <class S>
concept chooses = described<S> && requires(S& s, const S& like) {
    { s.chosen() } -> std::same_as<chosen_part>;
    s.settle(like);  // chooses by the fields of `like`, not by its own
};

// A name from a table: struct animal { std::string text; static std::vector<std::string> choices(); };
template <class T>
concept table_name = requires(T t) {
    { T::choices() } -> std::same_as<std::vector<std::string>>;
    { t.text } -> std::same_as<std::string&>;
};

template <class T>
concept quantity = requires {
    scalars::quantity_traits<T>::name;
};

// A value with a text of its own, such as the rate of a link. Specialize it beside the type with `name`, for the pages
// of keys, `accepts`, for messages, std::optional<T> read(std::string_view), and std::string write(const T&).
template <class T> struct text_form;
template <class T>
concept has_text_form = requires(const T& value) {
    text_form<T>::write(value);
};

// Types whose order makes a range useful.
template <class T>
concept ranged = quantity<T> ||(std::is_arithmetic_v<T> && !std::same_as<T, bool>);

template <class T> const type_description& type_of();

namespace detail {

template <class T> struct peel {
    using scalar = T;
    using optional_value = T;
};
template <class T> struct peel<std::vector<T>> {
    using scalar = typename peel<T>::scalar;
    using optional_value = std::vector<T>;
};
template <class T> struct peel<std::optional<T>> {
    using scalar = typename peel<T>::scalar;
    using optional_value = T;
};

template <class T> inline constexpr bool is_vector = false;
template <class T> inline constexpr bool is_vector<std::vector<T>> = true;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;

// An enum's values, or those of them that are listed.
template <class Enum, Enum... listed> type_description choice_type();

template <class T> const T& as(const void* p) { return *static_cast<const T*>(p); }
template <class T> T& as(void* p) { return *static_cast<T*>(p); }
template <class T> bool is_less(const void* a, const void* b) { return as<T>(a) < as<T>(b); }

}  // namespace detail

// Refines the field that was named last.
template <class M> class field_builder {
public:
    using scalar = typename detail::peel<M>::scalar;
    explicit field_builder(field& f) : field_(f) {}

    // Both ends are included. For a list, the range holds for each element.
    field_builder& in(scalar low, scalar high) requires ranged<scalar> {
        field_.low = bound::of(low);
        field_.high = bound::of(high);
        return *this;
    }
    field_builder& at_least(scalar low) requires ranged<scalar> {
        field_.low = bound::of(low);
        return *this;
    }
    field_builder& power_of_two() requires(std::integral<scalar> || std::same_as<scalar, core::bytes>) {
        field_.power_of_two = true;
        return *this;
    }
    field_builder& unit(std::string what) {
        field_.unit = std::move(what);
        return *this;
    }
    field_builder& text(std::string what) {
        field_.text = std::move(what);
        return *this;
    }
    field_builder& required() {
        field_.required = true;
        return *this;
    }
    // Its value determines which of the struct's other keys are meant: to give it anew, in a map of all that is meant,
    // replaces what was given of them. A struct that `chooses` is decided by its first key.
    field_builder& decides() {
        field_.decides = true;
        return *this;
    }
    // An enum of which only these values are allowed.
    template <auto... listed> field_builder& only() requires std::is_enum_v<M> {
        static const type_description made = detail::choice_type<M, listed...>();
        field_.type = &made;
        return *this;
    }
    // Checks the whole field, or the value of an optional.
    template <class Predicate> field_builder& check(Predicate holds, std::string allowed) {
        using value_type = typename detail::peel<M>::optional_value;
        field_.checks.push_back(
            {[holds](const void* value) { return static_cast<bool>(holds(detail::as<value_type>(value))); },
             std::move(allowed)});
        return *this;
    }

private:
    field& field_;
};

template <class S> class fields {
public:
    fields(structure& into, const S& sample) : structure_(into), sample_(sample) {}

    template <class Owner, class M>
    requires std::derived_from<S, Owner> field_builder<M>
    operator()(std::string key, M Owner::*member) { return added<M>(std::move(key), type_of<M>(), &(sample_.*member)); }
    // A field inside a part, for a key at a higher level than its value:
    //   f("page_size", [](const spec& s) -> auto& { return s.gpus.pages.page_size; })
    template <class Part>
    requires std::is_lvalue_reference_v<std::invoke_result_t<Part, const S&>>
    auto operator()(std::string key, Part part) {
        const auto& value = part(sample_);
        using value_type = std::remove_cvref_t<decltype(value)>;
        return added<value_type>(std::move(key), type_of<value_type>(), &value);
    }
    // A choice that is kept in several fields: `get` is Enum(const S&), `set` is void(S&, Enum).
    template <class Enum, Enum (*get)(const S&), void (*set)(S&, Enum)> field_builder<Enum> choice(std::string key);
    // A key that had another name or place once, as a path below this struct: renamed("gpu.sockets", "gpus"). The old
    // name is an error whose message gives the new one.
    void renamed(std::string old_key, std::string new_key) {
        structure_.renamed.push_back({std::move(old_key), std::move(new_key)});
    }
    // A key of this struct that was there once and has no successor. It is an error whose message says why it is gone.
    void removed(std::string old_key, std::string why) {
        structure_.removed.push_back({std::move(old_key), std::move(why)});
    }

private:
    template <class M> field_builder<M> added(std::string key, const type_description& type, const void* place) {
        const auto* begin = reinterpret_cast<const std::byte*>(&sample_);
        field f;
        f.key = std::move(key);
        f.type = &type;
        f.offset = static_cast<std::size_t>(static_cast<const std::byte*>(place) - begin);
        structure_.fields.push_back(std::move(f));
        return field_builder<M>(structure_.fields.back());
    }

    structure& structure_;
    const S& sample_;
};

template <described S> const structure& structure_of() {
    static const structure described_once = [] {
        structure s;
        const auto sample = std::make_shared<S>();
        s.defaults = sample;
        fields<S> f(s, *sample);
        S::describe(f);
        s.make = []() -> std::shared_ptr<void> { return std::make_shared<S>(); };
        if constexpr (chooses<S>) {
            s.chosen = [](void* object) { return static_cast<S*>(object)->chosen(); };
            s.settle = [](void* object, const void* like) {
                static_cast<S*>(object)->settle(*static_cast<const S*>(like));
            };
        }
        return s;
    }();
    return described_once;
}

namespace detail {

template <class T> type_description number_type() {
    type_description t;
    t.form = shape::number;
    t.less = is_less<T>;
    if constexpr (std::floating_point<T>) {
        t.name = "number";
        t.accepts = "a number";
        t.read = [](std::string_view text, bool is_quoted, void* value) {
            return scalars::read_real(text, is_quoted, as<T>(value));
        };
        t.write = [](const void* value) { return scalars::write_real(as<T>(value)); };
    } else {
        using limits = std::numeric_limits<T>;
        using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        t.name = t.accepts = "a whole number";
        t.name.remove_prefix(2);
        t.whole = true;
        t.lowest = std::to_string(limits::min());
        t.highest = std::to_string(limits::max());
        t.read = [](std::string_view text, bool is_quoted, void* value) {
            wide read = 0;
            std::string wrong;
            if constexpr (std::is_signed_v<T>)
                wrong = scalars::read_signed(text, is_quoted, limits::min(), limits::max(), read);
            else
                wrong = scalars::read_unsigned(text, is_quoted, limits::max(), read);
            if (wrong.empty()) as<T>(value) = static_cast<T>(read);
            return wrong;
        };
        t.write = [](const void* value) { return std::to_string(as<T>(value)); };
        t.power_of_two = [](const void* value) { return as<T>(value) > 0 && (as<T>(value) & (as<T>(value) - 1)) == 0; };
    }
    return t;
}

template <quantity T> type_description quantity_type() {
    type_description t;
    t.form = shape::quantity;
    t.name = scalars::quantity_traits<T>::name;
    t.accepts = core::unit_hint<T>();
    t.pattern = scalars::quantity_traits<T>::pattern;
    t.less = is_less<T>;
    t.read = [](std::string_view text, bool, void* value) {
        const auto read = core::parse_unit<T>(text);
        if (read) as<T>(value) = read.value;
        auto wrong = scalars::complaint(text, read.error);
        if (read.error == core::unit_error::unknown_unit)
            wrong.append(" (known: ").append(core::unit_names<T>()).append(")");
        return wrong;
    };
    t.write = [](const void* value) { return core::to_text(as<T>(value)); };
    if constexpr (std::same_as<T, core::bytes>) {
        t.power_of_two = [](const void* value) {
            const auto n = as<T>(value).count;
            return n > 0 && (n & (n - 1)) == 0;
        };
    }
    return t;
}

template <class T, T... listed> type_description choice_type() {
    static constexpr auto is_listed = []([[maybe_unused]] T value) {
        return sizeof...(listed) == 0 || ((value == listed) || ...);
    };
    type_description t;
    t.form = shape::choice;
    t.name = t.accepts = "one of the choices";
    for (const auto& [value, name] : enum_names<T>::names)
        if (is_listed(value)) t.choices.emplace_back(name);
    if constexpr (requires { enum_names<T>::renamed; })
        for (const auto& [was, is] : enum_names<T>::renamed) t.renamed.push_back({was, is});
    t.read = [](std::string_view text, bool, void* value) -> std::string {
        for (const auto& [known, name] : enum_names<T>::names) {
            if (text != name || !is_listed(known)) continue;
            as<T>(value) = known;
            return {};
        }
        return scalars::not_a_choice(text);
    };
    t.write = [](const void* value) -> std::string {
        for (const auto& [known, name] : enum_names<T>::names) {
            if (known == as<T>(value)) return name;
        }
        return std::to_string(static_cast<std::int64_t>(as<T>(value)));
    };
    return t;
}

// Describes objects of type S; one of their properties is the choice.
template <class S, class Enum, Enum (*get)(const S&), void (*set)(S&, Enum)> const type_description& property_type() {
    static const type_description made = [] {
        type_description t = choice_type<Enum>();
        t.read = [](std::string_view text, bool is_quoted, void* object) {
            Enum value = get(as<S>(object));
            auto wrong = type_of<Enum>().read(text, is_quoted, &value);
            if (wrong.empty()) set(as<S>(object), value);
            return wrong;
        };
        t.write = [](const void* object) {
            const Enum value = get(as<S>(object));
            return type_of<Enum>().write(&value);
        };
        return t;
    }();
    return made;
}

template <table_name T> type_description table_name_type() {
    type_description t;
    t.form = shape::choice;
    t.name = t.accepts = "one of the choices";
    t.choices = T::choices();
    t.read = [](std::string_view text, bool, void* value) -> std::string {
        const auto known = T::choices();
        if (std::find(known.begin(), known.end(), text) == known.end()) return scalars::not_a_choice(text);
        as<T>(value).text = text;
        return {};
    };
    t.write = [](const void* value) { return as<T>(value).text; };
    return t;
}

template <class T> type_description container_type() {
    static_assert(!chooses<typename T::value_type>, "a list or optional can't hold what chooses");
    type_description t;
    t.element = [] { return &type_of<typename T::value_type>(); };
    if constexpr (is_vector<T>) {
        static_assert(!std::is_same_v<typename T::value_type, bool>, "std::vector<bool> has no elements to point at");
        t.form = shape::list;
        t.size = [](const void* list) { return as<T>(list).size(); };
        t.at = [](const void* list, std::size_t i) -> const void* { return &as<T>(list)[i]; };
        t.resize = [](void* list, std::size_t n) { as<T>(list) = T(n); };
    } else {
        t.form = shape::optional;
        t.size = [](const void* maybe) -> std::size_t { return as<T>(maybe) ? 1 : 0; };
        t.at = [](const void* maybe, std::size_t) -> const void* { return &*as<T>(maybe); };
        t.resize = [](void* maybe, std::size_t n) {
            as<T>(maybe).reset();
            if (n > 0) as<T>(maybe).emplace();
        };
    }
    return t;
}

template <class T> type_description make_type() {
    if constexpr (std::same_as<T, bool>) {
        type_description t;
        t.form = shape::boolean;
        t.name = t.accepts = "true or false";
        t.read = [](std::string_view text, bool is_quoted, void* value) {
            return scalars::read_boolean(text, is_quoted, as<bool>(value));
        };
        t.write = [](const void* value) -> std::string { return as<bool>(value) ? "true" : "false"; };
        return t;
    } else if constexpr (std::same_as<T, std::string>) {
        type_description t;
        t.form = shape::text;
        t.name = "text";
        t.accepts = "a text";
        t.read = [](std::string_view text, bool, void* value) {
            as<std::string>(value) = text;
            return std::string();
        };
        t.write = [](const void* value) { return as<std::string>(value); };
        return t;
    } else if constexpr (std::same_as<T, free_value>) {
        type_description t;
        t.form = shape::free;
        t.name = t.accepts = "any YAML";
        t.write = [](const void* value) { return to_yaml(as<free_value>(value)); };
        return t;
    } else if constexpr (std::is_arithmetic_v<T>) {
        static_assert(std::integral<T> || std::same_as<T, double>, "real numbers are double");
        return number_type<T>();
    } else if constexpr (std::is_enum_v<T>) {
        return choice_type<T>();
    } else if constexpr (table_name<T>) {
        return table_name_type<T>();
    } else if constexpr (quantity<T>) {
        return quantity_type<T>();
    } else if constexpr (has_text_form<T>) {
        type_description t;
        t.form = shape::text;
        t.name = text_form<T>::name;
        t.accepts = text_form<T>::accepts;
        t.read = [](std::string_view text, bool, void* value) {
            const std::optional<T> read = text_form<T>::read(text);
            if (read) as<T>(value) = *read;
            return read ? std::string() : scalars::not_a_choice(text);
        };
        t.write = [](const void* value) { return text_form<T>::write(as<T>(value)); };
        return t;
    } else if constexpr (is_vector<T> || is_optional<T>) {
        return container_type<T>();
    } else {
        static_assert(described<T>, "a field is a scalar, an enum with enum_names, a quantity, a list, an optional, "
                                    "a free_value, or a struct with describe()");
        type_description t;
        t.form = shape::structure;
        t.name = "map";
        t.accepts = "a map";
        t.members = []() -> const structure& { return structure_of<T>(); };
        return t;
    }
}

}  // namespace detail

template <class S>
template <class Enum, Enum (*get)(const S&), void (*set)(S&, Enum)>
field_builder<Enum> fields<S>::choice(std::string key) {
    return added<Enum>(std::move(key), detail::property_type<S, Enum, get, set>(), &sample_);
}

template <class T> const type_description& type_of() {
    static const type_description made = detail::make_type<T>();
    return made;
}

}  // namespace contraflow::config
