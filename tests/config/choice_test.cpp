// SPDX-License-Identifier: Apache-2.0
// Structs in which the value of one field decides which other keys are allowed.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::errors_of;
using config_test::try_load;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct dog {
    unsigned tricks = 3;
    double weight = 20;
    static void describe(fields<dog>& f) {
        f("tricks", &dog::tricks).in(0, 9).text("what it can do");
        f("weight", &dog::weight).unit("kg");
    }
};

struct fish {
    double weight = 0.1;
    bool gold = false;
    static void describe(fields<fish>& f) {
        f("weight", &fish::weight).unit("kg").check([](double w) { return w < 5; }, "below 5");
        f("gold", &fish::gold);
    }
};

struct kind_name {
    std::string text;
    static std::vector<std::string> choices() { return {"dog", "fish"}; }
};

struct animal {
    kind_name kind;
    bool large = false;
    std::shared_ptr<dog> a_dog;
    std::shared_ptr<fish> a_fish;

    static void describe(fields<animal>& f) {
        f("kind", &animal::kind).required();
        f("large", &animal::large);
    }
    void settle(const animal& like) {
        a_dog.reset();
        a_fish.reset();
        if (like.kind.text == "dog") a_dog = std::make_shared<dog>(dog{3, like.large ? 60.0 : 20.0});
        if (like.kind.text == "fish") a_fish = std::make_shared<fish>();
    }
    chosen_part chosen() {
        if (a_dog) return {&structure_of<dog>(), a_dog.get()};
        if (a_fish) return {&structure_of<fish>(), a_fish.get()};
        return {};
    }
};

struct household {
    unsigned rooms = 2;
    animal pet;
    static void describe(fields<household>& f) {
        f("rooms", &household::rooms);
        f("pet", &household::pet).text("who lives there");
    }
};

TEST(choice, other_keys_go_to_what_is_chosen_wherever_they_stand) {
    const auto [got, errors] = try_load<household>("pet: {weight: 61, tricks: 4, large: true, kind: dog}\n");
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.pet.a_dog->tricks, 4u);
    EXPECT_EQ(got.value.pet.a_dog->weight, 61);
    EXPECT_EQ(got.value.pet.a_fish, nullptr);
    EXPECT_EQ(got.origin("pet.weight"), "file");
}

TEST(choice, that_is_the_default_is_documented_with_its_keys_and_values) {
    struct kennel {
        animal guard;
        kennel() {
            guard.kind.text = "dog";
            guard.large = true;
            guard.settle(guard);
        }
        static void describe(fields<kennel>& f) { f("guard", &kennel::guard); }
    };
    std::vector<std::string> keys;
    for (const auto& row : document(structure_of<kennel>())) keys.push_back(row.key + " " + row.default_value);
    EXPECT_THAT(keys,
                ElementsAre("guard ", "guard.kind required", "guard.large true", "guard.tricks 3", "guard.weight 60"));
    keys.clear();
    for (const auto& row : document(structure_of<household>())) keys.push_back(row.key);
    EXPECT_THAT(keys, ElementsAre("rooms", "pet", "pet.kind", "pet.large")) << "nothing is chosen by default";
}

TEST(choice, that_a_set_makes_anew_leaves_the_parameters_of_the_old_one_behind) {
    const std::string file = "pet: {kind: dog, weight: 61, tricks: 4, large: true}\n";
    const auto [got, errors] = try_load<household>(file, {"pet={kind: fish}"});
    ASSERT_EQ(errors, "");
    ASSERT_NE(got.value.pet.a_fish, nullptr);
    EXPECT_EQ(got.value.pet.a_fish->weight, 0.1) << "61 was said of the dog";
    EXPECT_FALSE(got.value.pet.large);
    EXPECT_EQ(got.origin("pet.weight"), "default");
    EXPECT_EQ(got.origin("pet.kind"), "set");
    EXPECT_EQ(errors_of<household>(file, {"pet={kind: fish, tricks: 2}"}),
              "--set:1:18: error: unknown key 'tricks' in pet\n"
              "    1 | pet={kind: fish, tricks: 2}\n"
              "      |                  ^~~~~~  known: kind, large, weight, gold\n");
    // Without a choice it is laid over what is there; what follows counts.
    const auto [over, none] = try_load<household>(file, {"pet={tricks: 7}", "pet.weight=30"});
    ASSERT_EQ(none, "");
    EXPECT_EQ(over.value.pet.a_dog->tricks, 7u);
    EXPECT_EQ(over.value.pet.a_dog->weight, 30);
}

TEST(choice, of_a_set_alone_is_told_how_to_leave_out_what_the_file_gives_of_another) {
    const std::string file = "pet: {kind: dog, tricks: 4}\n";
    EXPECT_THAT(errors_of<household>(file, {"pet.kind=fish"}),
                HasSubstr("p.yaml:1:18: error: unknown key 'tricks' in pet\n"
                          "    1 | pet: {kind: dog, tricks: 4}\n"
                          "      |                  ^~~~~~  --set 'pet={kind: fish}' leaves it out; known: kind"));
    EXPECT_THAT(errors_of<household>(file, {"pet.kind=dog", "pet.kind=fish"}), HasSubstr("'pet={kind: fish}' leaves"));
    EXPECT_THAT(errors_of<household>(file, {"pet.large=true", "pet.trick=1"}), Not(HasSubstr("leaves it out")));
}

enum class shape_kind { round, square };
}  // namespace
template <> struct enum_names<shape_kind> {
    static constexpr std::array names{std::pair{shape_kind::round, "round"}, std::pair{shape_kind::square, "square"}};
};
namespace {

struct room {
    shape_kind kind = shape_kind::round;
    unsigned radius = 1, width = 2;
    std::vector<unsigned> doors{1};
    static void describe(fields<room>& f) {
        f("kind", &room::kind).decides();
        f("radius", &room::radius);
        f("width", &room::width);
        f("doors", &room::doors);
    }
};

struct house_of_rooms {
    room hall;
    std::vector<room> rooms;
    animal pet;
    static void describe(fields<house_of_rooms>& f) {
        f("hall", &house_of_rooms::hall);
        f("rooms", &house_of_rooms::rooms);
        f("pet", &house_of_rooms::pet);
    }
};

TEST(choice, by_a_key_that_decides_which_others_are_meant_is_made_anew_too) {
    const std::string file = "hall: {kind: round, radius: 7}\npet: {kind: dog}\n";
    const auto [got, errors] = try_load<house_of_rooms>(file, {"hall={kind: square}"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.hall.radius, 1u) << "7 was said of the round one";
    EXPECT_EQ(got.origin("hall.radius"), "default");
    const auto [over, none] = try_load<house_of_rooms>(file, {"hall={width: 3}"});
    ASSERT_EQ(none, "");
    EXPECT_EQ(over.value.hall.radius, 7u) << "laid over what is there";
    EXPECT_EQ(try_load<house_of_rooms>(file, {"hall.kind=square"}).got.value.hall.radius, 7u);
}

TEST(choice, that_replaces_an_earlier_set_is_told) {
    const std::string file = "pet: {kind: dog}\nrooms: [{radius: 3}, {radius: 4}]\n";
    const auto said = [&](const std::vector<std::string>& sets) { return errors_of<house_of_rooms>(file, sets); };
    EXPECT_EQ(said({"pet.tricks=5", "pet={kind: fish}"}),
              "--set:1:1: warning: 'pet.tricks' has no effect: 'pet={kind: fish}' replaces it\n"
              "    1 | pet.tricks=5\n"
              "      | ^~~~~~~~~~  give it in that value, or after it\n");
    const auto counts = [&](const std::string& earlier, const std::string& later) {
        EXPECT_EQ(said({later, earlier}), "") << earlier << ' ' << later;
        return said({earlier, later}).empty();
    };
    EXPECT_FALSE(counts("hall.radius=2", "hall={kind: square}"));
    EXPECT_FALSE(counts("hall.radius=2", "hall={radius: 3}"));
    EXPECT_TRUE(counts("hall.radius=2", "hall={width: 3}"));
    EXPECT_FALSE(counts("hall.doors[0]=2", "hall={doors: [1]}"));
    EXPECT_FALSE(counts("rooms[0].radius=5", "rooms=[{width: 1}, {width: 2}]"));
    EXPECT_TRUE(counts("rooms[0].radius=5", "rooms[0]={width: 1}"));
    EXPECT_FALSE(counts("rooms[0].radius=5", "rooms[0]={kind: square}"));
    EXPECT_FALSE(counts("rooms[1].radius=5", "rooms[*]={radius: 1}"));
    EXPECT_TRUE(counts("rooms[*].radius=5", "rooms[0]={radius: 1}")) << "the others keep it";
    EXPECT_TRUE(counts("hall.radius=2", "hall.width=3"));
    EXPECT_EQ(said({"hall.radius=2", "hall.radius=3"}), "")
        << "an earlier value of the same key is overridden, as usual";
    EXPECT_TRUE(counts("pet.weight=30", "pet={tricks: 7}"));
}

TEST(choice, that_a_set_makes_anew_leaves_keys_alone_that_begin_alike) {
    struct house {
        animal pet;
        unsigned pets = 1;
        static void describe(fields<house>& f) {
            f("pet", &house::pet);
            f("pets", &house::pets);
        }
    };
    const auto [got, errors] = try_load<house>("pet: {kind: dog}\n", {"pets=3", "pet={kind: fish}"});
    ASSERT_EQ(errors, "");
    EXPECT_NE(got.value.pet.a_fish, nullptr);
    EXPECT_EQ(got.value.pets, 3u);
}

// A part that is chosen, and chooses in turn.
struct barn {
    unsigned stalls = 4;
    animal guard;
    static void describe(fields<barn>& f) {
        f("stalls", &barn::stalls);
        f("guard", &barn::guard);
    }
};

struct farm_building {
    bool is_barn = false;
    std::shared_ptr<barn> a_barn;
    static void describe(fields<farm_building>& f) { f("is_barn", &farm_building::is_barn); }
    void settle(const farm_building& like) {
        is_barn = like.is_barn;
        a_barn = is_barn ? std::make_shared<barn>() : nullptr;
    }
    chosen_part chosen() { return a_barn ? chosen_part{&structure_of<barn>(), a_barn.get()} : chosen_part{}; }
};

struct farm {
    farm_building house;
    static void describe(fields<farm>& f) { f("house", &farm::house); }
};

TEST(choice, of_a_part_that_was_chosen) {
    const auto [got, errors] = try_load<farm>(
        "house: {guard: {tricks: 1, kind: fish, large: true}, stalls: 2, is_barn: true}\n", {"house.guard.kind=dog"});
    ASSERT_EQ(errors, "");
    ASSERT_NE(got.value.house.a_barn, nullptr);
    EXPECT_EQ(got.value.house.a_barn->stalls, 2u);
    ASSERT_NE(got.value.house.a_barn->guard.a_dog, nullptr);
    EXPECT_EQ(got.value.house.a_barn->guard.a_dog->tricks, 1u);
    EXPECT_EQ(got.value.house.a_barn->guard.a_dog->weight, 60);
    const auto wrong = errors_of<farm>("house: {is_barn: true, guard: {kind: fish, tricks: 1}}\n");
    EXPECT_THAT(wrong, HasSubstr("p.yaml:1:44: error: unknown key 'tricks' in house.guard"));
    EXPECT_THAT(wrong, HasSubstr("known: kind, large, weight, gold"));
}

TEST(choice, what_is_not_given_has_the_default_of_the_choice) {
    const auto [got, errors] = try_load<household>("pet: {kind: dog, large: true}\n");
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.pet.a_dog->weight, 60);
    EXPECT_EQ(got.origin("pet.weight"), "default");
}

TEST(choice, of_a_set_holds_for_what_the_file_gives_too) {
    const auto [got, errors] =
        try_load<household>("pet: {kind: dog, weight: 2}\n", {"pet.gold=true", "pet.kind=fish", "rooms=1"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.pet.a_fish->weight, 2);
    EXPECT_TRUE(got.value.pet.a_fish->gold);
    const auto large = try_load<household>("pet: {kind: dog, tricks: 5}\n", {"pet.large=true"});
    ASSERT_EQ(large.errors, "");
    EXPECT_EQ(large.got.value.pet.a_dog->weight, 60);
    EXPECT_EQ(large.got.value.pet.a_dog->tricks, 5u);
}

TEST(choice, works_without_a_file) {
    config::diagnostics diag;
    const auto got = load<household>(std::nullopt, {"pet.kind=dog", "pet.tricks=1"}, diag);
    EXPECT_FALSE(diag.failed()) << config_test::printed(diag);
    EXPECT_EQ(got.value.pet.a_dog->tricks, 1u);
}

TEST(choice, keys_that_the_choice_does_not_have_are_errors_with_those_it_has) {
    EXPECT_EQ(errors_of<household>("pet: {kind: fish, wieght: 1}\n"),
              "p.yaml:1:19: error: unknown key 'wieght' in pet\n"
              "    1 | pet: {kind: fish, wieght: 1}\n"
              "      |                   ^~~~~~  did you mean 'weight'? known: kind, large, weight, gold\n");
    EXPECT_THAT(errors_of<household>("pet: {kind: dog, tricks: 4}\n", {"pet.kind=fish"}),
                HasSubstr("p.yaml:1:18: error: unknown key 'tricks' in pet"));
    EXPECT_THAT(errors_of<household>("pet: {kind: dog}\n", {"pet.gold=true"}), HasSubstr("unknown key 'gold' in pet"));
}

TEST(choice, that_is_wrong_is_the_only_complaint) {
    EXPECT_EQ(errors_of<household>("pet: {kind: dgo, weight: 1}\n"),
              "p.yaml:1:13: error: pet.kind: 'dgo' is not a choice\n"
              "    1 | pet: {kind: dgo, weight: 1}\n"
              "      |             ^~~  did you mean 'dog'? allowed: dog, fish\n");
    const auto missing = errors_of<household>("pet: {weight: 1}\n");
    EXPECT_THAT(missing, HasSubstr("'kind' is missing in pet"));
    EXPECT_THAT(missing, Not(HasSubstr("unknown")));
}

TEST(choice, ranges_and_checks_of_what_is_chosen_hold) {
    EXPECT_THAT(errors_of<household>("pet: {kind: dog, tricks: 10}\n"), HasSubstr("pet.tricks: '10' is out of range"));
    EXPECT_THAT(errors_of<household>("pet: {kind: fish, weight: 6}\n"),
                HasSubstr("p.yaml:1:27: error: pet.weight: this value is not allowed"));
}

TEST(choice, prints_and_reads_back) {
    const auto [got, errors] = try_load<household>("pet: {kind: fish, gold: true}\n");
    ASSERT_EQ(errors, "");
    const auto text = print(got.value);
    EXPECT_THAT(text, HasSubstr("  kind: fish\n"));
    EXPECT_THAT(text, HasSubstr("  gold: true\n"));
    EXPECT_THAT(text, Not(HasSubstr("tricks")));
    const auto again = try_load<household>(text);
    ASSERT_EQ(again.errors, "");
    EXPECT_EQ(print(again.got.value), text);
}

TEST(choice, as_the_whole_configuration) {
    const auto [got, errors] = try_load<animal>("tricks: 7\nkind: dog\n", {"weight=9"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.a_dog->tricks, 7u);
    EXPECT_EQ(got.value.a_dog->weight, 9);
}

TEST(choice, schema_and_documentation_name_the_choices) {
    const auto schema = json_schema<household>("house");
    const auto& pet = schema["properties"]["pet"];
    EXPECT_EQ(pet["properties"]["kind"]["enum"], (std::vector<std::string>{"dog", "fish"}));
    EXPECT_FALSE(pet.contains("additionalProperties"));
    EXPECT_EQ(schema["additionalProperties"], false);
    EXPECT_THAT(describe<household>(), HasSubstr("dog | fish"));
}

}  // namespace
}  // namespace contraflow::config
