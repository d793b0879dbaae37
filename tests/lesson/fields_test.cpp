// Parameters that follow from the fields of a configuration.
#include "ringside/lesson/fields.h"

#include <array>

#include "catch.h"
#include "ringside/base/error.h"

namespace ringside::sample {

enum class Colour : uint8_t { kRed, kGreen };
std::span<const std::string_view> texts(Colour) {
  static constexpr std::array<std::string_view, 2> kTexts = {"red", "green"};
  return kTexts;
}

struct Sample {
  int few = 3;
  int64_t many = 2048;
  double share = 0.5;
  bool loud = true;
  Colour colour = Colour::kGreen;
};
void visit_fields(auto& sample, auto&& visit) {
  visit(Field{"few", "not many", "pieces", 1, 9}, sample.few);
  visit(Field{"many", "a count", "", 1, 1 << 20, true}, sample.many);
  visit(Field{"share", "a part", "", 0, 1}, sample.share);
  visit(Field{"loud", "heard"}, sample.loud);
  visit(Field{"colour", "seen"}, sample.colour);
}

}  // namespace ringside::sample

using namespace ringside;
using sample::Colour;
using sample::Sample;

TEST_CASE("a parameter has its field's name, meaning, unit, range and default") {
  const Config config = Config::parse("sample", specs_of_fields<Sample>(), {});
  CHECK(config.scenario(true) == "sample few=3 many=2Ki share=0.5 loud=on colour=green");
  const ParameterSpec few = spec_of_field<Sample>("few");
  CHECK(few.meaning == "not many");
  CHECK(allowed_values(few) == "allowed are 1 to 9 pieces");
  CHECK(allowed_values(spec_of_field<Sample>("colour")) == "allowed are red, green");
  CHECK(allowed_values(spec_of_field<Sample>("loud")) == "allowed are on, off");
  CHECK_THROWS_AS(Config::parse("sample", specs_of_fields<Sample>(), {"few=10"}), UsageError);
  CHECK_THROWS_AS(spec_of_field<Sample>("none"), InvariantError);
}

TEST_CASE("what a scenario says is read back into the fields") {
  const Config config = Config::parse("sample", specs_of_fields<Sample>(),
                                      {"few=7", "many=3Ki", "share=0.25", "loud=off", "colour=red"});
  Sample sample;
  read_fields(config, sample);
  CHECK(sample.few == 7);
  CHECK(sample.many == 3072);
  CHECK(sample.share == 0.25);
  CHECK(!sample.loud);
  CHECK(sample.colour == Colour::kRed);
}

TEST_CASE("a lesson may do without a field, or declare it otherwise") {
  std::vector<ParameterSpec> specs = specs_of_fields<Sample>({"few", "share"});
  specs.push_back(choice("few", "of them", "all", {"all", "1"}));
  const Config config = Config::parse("sample", specs, {"many=1"});
  CHECK(config.scenario(true) == "sample many=1 loud=on colour=green few=all");
  Sample sample{.few = 5, .share = 0.75};
  read_fields(config, sample, {"few"});
  CHECK(sample.few == 5);
  CHECK(sample.share == 0.75);
  CHECK(sample.many == 1);
}
