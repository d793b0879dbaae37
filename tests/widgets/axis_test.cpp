// Ticks and their labels, without any window.
#include <catch.h>

#include "ringside/base/text.h"
#include "ringside/figures/axis.h"

namespace figure = ringside::figure;
using figure::Range;
using figure::Unit;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

float extent_of(std::string_view text) { return 8.0f * static_cast<float>(ringside::columns(text)); }

std::vector<std::string> labels(Range range, const Unit& unit, float length = 600, bool log = false) {
  std::vector<std::string> found;
  for (const figure::Tick& tick : figure::ticks_of(range, unit, length, 8, extent_of, log)) {
    if (!tick.label.empty()) found.push_back(tick.label);
  }
  return found;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks are round numbers with their unit, and the end of an axis is written") {
  CHECK(labels({0, 1.5}, Unit::plain("Ψ")) ==
        Labels{"0.0 Ψ", "0.2 Ψ", "0.4 Ψ", "0.6 Ψ", "0.8 Ψ", "1.0 Ψ", "1.2 Ψ", "1.4 Ψ"});
  CHECK(labels({0, 0.1}, Unit::seconds(), 800) == Labels{"0 ms", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms",
                                                         "60 ms", "70 ms", "80 ms", "90 ms", "100 ms"});
  CHECK(labels({0, 16.0 * 1048576}, Unit::bytes(), 500) ==
        Labels{"0.00 MiB", "4.00 MiB", "8.00 MiB", "12.00 MiB", "16.00 MiB"});
  CHECK(labels({-2, 2}, Unit::plain(), 200) == Labels{"−2", "−1", "0", "1", "2"});
  CHECK(labels({1, 1e6}, Unit::plain(), 700, true) ==
        Labels{"1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"});
  CHECK(labels({0, 0.1}, Unit::seconds(), 660) ==
        Labels{"0 ms", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms", "60 ms", "70 ms", "80 ms", "100 ms"});
}

TEST_CASE("labels keep their decimals; a power of ten has minor ticks where each is labelled") {
  const auto decimals = [](const std::string& label) {
    const size_t dot = label.find('.');
    return dot == std::string::npos ? 0 : label.find(' ', dot) - dot;
  };
  for (double shift = 0; shift < 0.4; shift += 0.013) {
    for (const std::string& label : labels({shift, 1.5 + shift}, Unit::plain("Ψ")))
      CHECK(decimals(label) == 2);
    for (const std::string& label : labels({shift * 4e6, (2 + shift) * 4e6}, Unit::bytes()))
      CHECK(label.ends_with("0 MiB"));
    for (const std::string& label : labels({shift, 0.08 + shift}, Unit::seconds()))
      CHECK(label.ends_with("0 ms"));
  }
  const auto near = figure::ticks_of({1, 1000}, Unit::plain(), 600, 8, extent_of, true);
  CHECK(near.size() == 28);
  const auto far = figure::ticks_of({1, 1e20}, Unit::plain(), 300, 8, extent_of, true);
  CHECK(far.size() == 21);
  CHECK(labels({20, 60}, Unit::plain(), 300, true).size() >= 3);
  CHECK(labels({1024, 1048576}, Unit::bytes(), 300, true) == Labels{"1.00 KiB", "32.00 KiB", "1.00 MiB"});
}

TEST_CASE("labels never touch, lie within the length and rise, for every range") {
  const Range ranges[] = {{0, 0},         {1, 1},        {5, -5},          {-1e300, 1e300},
                          {kNan, kNan},   {-kInf, kInf}, {0, kInf},        {1e-300, 1e-299},
                          {1e9, 1e9 + 1}, {-1e-9, 1e-9}, {1e15, 1e15 + 1}, {123.456, 789},
                          {-7, 1e6},      {0, 1e-12},    {3, kNan},        {-5e-324, 5e-324}};
  const Unit unit = GENERATE(Unit::plain(), Unit::plain("Ψ"), Unit::bytes(), Unit::seconds());
  const bool log = GENERATE(false, true);
  for (const Range& range : ranges)
    for (const float length : {0.0f, 5.0f, 40.0f, 100.0f, 333.0f, 3000.0f}) {
      INFO(range.low << " to " << range.high << " on " << length << (log ? " log" : ""));
      float end = -100, at = -1;
      for (const figure::Tick& tick : figure::ticks_of(range, unit, length, 8, extent_of, log)) {
        CHECK(std::isfinite(tick.value));
        CHECK((tick.at >= -0.01f && tick.at <= length + 0.01f));
        CHECK(tick.at >= at);
        at = tick.at;
        if (tick.label.empty()) continue;
        CHECK(tick.label_at >= std::max(end + 8, 0.0f));
        end = tick.label_at + extent_of(tick.label);
        CHECK(end <= length + 0.01f);
      }
    }
}

TEST_CASE("neighbours differ; a range becomes one that can be drawn, at round ends, invertibly") {
  for (const Range range : {Range{0, 1}, Range{1e9, 1e9 + 10}, Range{-3e-7, 4e-7}, Range{0, 3e12}})
    for (const Unit& unit : {Unit::plain(), Unit::seconds()}) {
      const Labels found = labels(range, unit, 900);
      CHECK(found.size() >= 2);
      for (size_t i = 1; i < found.size(); ++i) CHECK(found[i] != found[i - 1]);
    }
  CHECK(figure::usable({kNan, kNan}) == Range{0, 1});
  CHECK(figure::usable({0, 0}) == Range{0, 1});
  CHECK(figure::usable({4, 4}) == Range{2, 6});
  CHECK(figure::usable({5, 1}) == Range{1, 5});
  CHECK(figure::usable({-3, 0}, true) == Range{1, 10});
  CHECK(figure::usable({0, 1000}, true) == Range{1, 1000});
  CHECK(std::isfinite(figure::usable({-kInf, 3}).span()));
  CHECK(figure::round_out({0.3, 9.2}, Unit::plain(), 5) == Range{0, 10});
  CHECK(figure::round_out({-0.3, 0.2}, Unit::plain(), 5).low == Approx(-0.3));
  CHECK(figure::round_out({0, 15.2 * 1048576}, Unit::bytes(), 5) == Range{0, 16.0 * 1048576});
  CHECK(figure::round_out({0.02, 700}, Unit::plain(), 5, true).high == Approx(1000));
  CHECK(figure::round_out({0, 0}, Unit::bytes(), 5).span() >= 1);
  for (const bool log : {false, true}) {
    const Range range{2, 2000};
    for (const double value : {2.0, 3.5, 400.0, 2000.0})
      CHECK(figure::value_at(figure::position_of(value, range, log), range, log) == Approx(value));
  }
  CHECK(std::isnan(figure::position_of(0, {1, 10}, true)));
}

TEST_CASE("a value beside others") {
  CHECK(figure::format_value(kNan, Unit::bytes(), 1) == "—");
  CHECK(figure::format_value(16.0 * 1048576, Unit::bytes(), 1048576) == "16.00 MiB");
  CHECK(figure::format_value(12, Unit::bytes(), 1) == "12 B");
  const Unit counted{Unit::Kind::kPlain, "misses", true};
  CHECK(figure::format_value(11, counted, 0.1) == "11 misses");
  CHECK(figure::format_value(0, counted, 0.01) == "0 misses");
  CHECK(figure::format_value(11, Unit::plain("ns"), 0.1) == "11.0 ns");
  CHECK(figure::round_step(2, 6, counted) == 1);
  CHECK(figure::format_value(-1.5, Unit::plain("Ψ"), 0.5) == "−1.5 Ψ");
  CHECK(figure::format_value(-1e-20, Unit::plain(), 0.5) == "0.0");
  CHECK(figure::format_value(2.5e9, Unit::plain(), 5e8) == "2.5e+09");
}
