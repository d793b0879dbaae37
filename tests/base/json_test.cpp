#include "ringside/base/json.h"

#include "catch.h"

using namespace ringside;

namespace {

constexpr JsonLimits kLimits{64, 3, 8};

// What is wrong; "" where nothing is.
template <typename Read>
std::string rejected(Read read) {
  try {
    read();
  } catch (const JsonRejected& reason) {
    return reason.why;
  }
  return "";
}

std::string rejected_text(std::string_view text) {
  return rejected([&] { parse_json(text, kLimits); });
}

}  // namespace

TEST_CASE("what is no JSON, too large, or has a key twice is rejected with its place") {
  CHECK(rejected_text("{\"a\": [1, 2.5, true, null, \"b\"]}").empty());
  CHECK(rejected_text("") == "not JSON from byte 1 on");
  CHECK(rejected_text("{\"a\": 1") == "not JSON from byte 8 on");
  CHECK(rejected_text("\x80\x04") == "not JSON from byte 1 on");
  CHECK(rejected_text("[1e999]") == "not JSON: a number is out of range");
  CHECK(rejected_text("[[[1]]]").empty());
  CHECK(rejected_text("[[[[1]]]]") == "nested deeper than 3");
  CHECK(rejected_text("[[{\"a\": {}}]]") == "nested deeper than 3");
  CHECK(rejected_text("[1,2,3,4,5,6,7]").empty());
  CHECK(rejected_text("[1,2,3,4,5,6,7,8]") == "more than 8 values");
  CHECK(rejected_text(std::string(65, ' ')) == "more than 64 bytes");
  CHECK(rejected_text("[{\"a\": 1}, {\"a\": 1}]").empty());
  CHECK(rejected_text("{\"a\": 1, \"a\": 2}") == "the key 'a' stands twice");
  CHECK(rejected_text("{\"a\": {\"b\": 1}, \"a\": 2}") == "the key 'a' stands twice");
}

TEST_CASE("a text is as long as is allowed, with what is escaped in it") {
  const JsonLimits limits{.bytes = 64, .depth = 3, .values = 8, .text = 6};
  CHECK(parse_json(R"(["123456", "\"\\45"])", limits).size() == 2);
  for (const char* json : {R"(["1234567"])", R"(["\"\"\"7"])", R"({"1234567": 1})", R"(["1234567)"})
    CHECK_THROWS_AS(parse_json(json, limits), JsonRejected);
}

TEST_CASE("objects that are taken leave no trace, and the values in them count no more") {
  std::vector<int> taken;
  const auto take = [&](Json& value) {
    if (value.contains("id")) taken.push_back(value["id"].get<int>());
    return value.contains("id");
  };
  std::string text = "{\"all\": [0";
  for (int id = 0; id < 100; ++id) text += ", {\"id\": " + std::to_string(id) + ", \"b\": {\"c\": 1}}";
  const Json rest = parse_json(text + "], \"one\": {\"id\": 7}, \"two\": 2}", {1 << 20, 4, 8}, take);
  CHECK(rest.dump() == R"({"all":[0],"one":null,"two":2})");
  CHECK(taken.size() == 101);
  CHECK(rejected([&] { parse_json("[{\"id\": 1}, 1, 2, 3, 4, 5, 6, 7, 8]", kLimits, take); }) ==
        "more than 8 values");
}

TEST_CASE("Values of a JSON object have a kind and a range") {
  const Json json = Json::parse(R"({"n": 7, "huge": 18446744073709551615, "x": 0.5, "t": "two", "f": true,
                                    "none": null, "list": [1, 2], "inner": {"a": 1}})");
  const JsonObject object(json);
  CHECK(object.integer("n", 0, 7) == 7);
  CHECK(object.integer("absent", 0, 7, 3) == 3);
  CHECK(object.integer("none", 0, 7, 3) == 3);
  CHECK(rejected([&] { object.integer("absent", 0, 7); }) == "no 'absent'");
  CHECK(rejected([&] { object.integer("n", 0, 6, 1); }) == "n: 7 is outside 0 to 6");
  CHECK(rejected([&] { object.integer("huge", 0, 6); }) == "huge: 18446744073709551615 is outside 0 to 6");
  CHECK(rejected([&] { object.integer("x", 0, 6); }) == "x: not a whole number, allowed are 0 to 6");
  CHECK(json_number(json["x"], "x", 0, 1) == 0.5);
  CHECK(json_number(json["n"], "n", 0, 10) == 7);
  CHECK(rejected([&] { json_number(json["x"], "x", 1, 2); }) == "x: 0.5 is outside 1 to 2");
  CHECK(object.text("t") == "two");
  CHECK(object.text_or_empty("absent").empty());
  CHECK(rejected([&] { object.text("t", 2); }) == "t: longer than 2 bytes");
  CHECK(rejected([&] { object.text_or_empty("n"); }) == "n: not a text");
  CHECK(object.flag("f"));
  CHECK_FALSE(object.flag("absent", false));
  CHECK(rejected([&] { object.flag("n", false); }) == "n: neither true nor false");
  CHECK(object.array("list", 2, 2).size() == 2);
  CHECK(rejected([&] { object.array("list", 3, 4); }) == "list: 2 values, allowed are 3 to 4");
  CHECK(object.object("inner").integer("a", 1, 1) == 1);
  CHECK(rejected([&] { object.object("n"); }) == "n: not a JSON object");
  CHECK(rejected([&] { JsonObject{json["list"]}; }) == "not a JSON object");
}

TEST_CASE("A choice and the allowed keys are named where they are missed") {
  constexpr std::array<std::string_view, 2> kColours = {"red", "blue"};
  const Json json = Json::parse(R"({"colour": "blue", "other": "green"})");
  const JsonObject object(json);
  CHECK(object.choice("colour", kColours) == 1);
  CHECK(object.choice("absent", kColours, 0) == 0);
  CHECK(rejected([&] { object.choice("absent", kColours); }) == "no 'absent'; allowed are red, blue");
  CHECK(rejected([&] { object.choice("other", kColours); }) ==
        "other: 'green' is not known; allowed are red, blue");
  object.allow({"colour", "other"});
  CHECK(rejected([&] { object.allow({"colour"}); }) == "unknown key 'other'; allowed are colour");
}
