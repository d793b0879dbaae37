// A drill is a question that is drawn from a seed: its numbers, its right answer and its named wrong ones are
// computed, by the engine where the engine computes such a thing. A file a topic (drills_*.cpp) has a table
// of them; a row is one drill.
//
// What a question must keep to, or the seed's next numbers are drawn (draw_question): each wrong number is 5%
// and more away from the right one and from every other wrong one, no option stands twice. tests/bank holds
// every drill to it, over 200 seeds.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/random.h"
#include "ringside/lesson/lesson.h"
#include "typed_answer.h"

namespace ringside::inline kit {

// What a drill's numbers are drawn from.
class Draw {
 public:
  explicit Draw(RandomStream stream) : stream_(stream) {}
  template <typename T>
  T pick(std::initializer_list<T> of) {
    return of.begin()[stream_.below(of.size())];
  }
  int64_t between(int64_t least, int64_t most) {
    return least + int64_t(stream_.below(uint64_t(most - least + 1)));
  }
  Words shuffled(Words words);

 private:
  RandomStream stream_;
};

// What one answers who believes `name`.
struct WrongNumber {
  std::string name;
  double value = 0;
  std::string why = {};
};

struct DrawnQuestion {
  PredictionSpec spec;  // its functions need no scenario
  std::string brief;    // the answer in ten seconds
};

// The forms of a question. In `brief` stands how the answer comes about; the answer itself is put before it.
DrawnQuestion ask_number(std::string asks, std::string unit, double right, std::vector<WrongNumber> wrong,
                         std::string brief);
// The options are the right answer and the wrong ones, in an order that is drawn.
DrawnQuestion ask_choice(Draw& draw, std::string asks, std::string right, std::vector<WrongWords> wrong,
                         std::string brief);
// All of `right` in their order; wrong ones are other orders of it.
DrawnQuestion ask_order(Draw& draw, std::string asks, Words right, std::vector<WrongWords> wrong,
                        std::string brief);
DrawnQuestion ask_line(std::string asks, Words listing, size_t line, std::vector<WrongWords> wrong,
                       std::string brief);  // lines count from 1
DrawnQuestion ask_text(std::string asks, std::string right, std::vector<WrongWords> wrong, std::string brief,
                       std::vector<std::string> accepted = {});

struct Drill {
  std::string id = {}, topic = {};
  int level = 1;            // 1 to 3
  std::string lesson = {};  // where it is explained
  std::string source = {};  // "arXiv:1910.02054", "B13", "a common belief"
  std::string see = {};     // what shows it: "ringside run zero stage=2 ranks=8"
  DrawnQuestion (*ask)(Draw& draw) = nullptr;
  std::string minute = {};  // the answer in a minute: why it is so
  std::string strong = {};  // what a strong answer adds
};
const std::vector<Drill>& drills();

// InvariantError where no numbers of 1,000 make a question that keeps to the rules.
DrawnQuestion draw_question(const Drill& drill, uint64_t seed);
// Why it keeps not to them; "": it does.
std::string unfit(const DrawnQuestion& question);

// A scenario for what needs none.
const Config& no_scenario();

// read_typed(), and with another unit of the same kind: of 112 GB also "112e9 bytes", "104.3 GiB", "7e9*16",
// "112,000 MB"; of times and of counts likewise. A number of bytes without a unit is one of bytes where it is
// 1e5 times what it should be and more.
TypedAnswer read_in_units(const PredictionSpec& spec, const std::string& line);

// Each topic's.
std::vector<Drill> drills_of_memory(), drills_of_traffic(), drills_of_buckets(), drills_of_pipelines(),
    drills_of_numbers(), drills_of_servers(), drills_of_hangs(), drills_of_speed(), drills_of_code();

}  // namespace ringside::inline kit
