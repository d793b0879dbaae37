// A coding drill: a small function that interviews ask for, which a person writes and the engine judges. Its
// texts are assets/drills/ID/{start,solution}.{cpp,py}; here is what is right.
//
// A case is the list of the arguments, as JSON. What is right of it is computed, by the engine where the
// engine has that function, and so is what somebody gets who makes a named mistake: each is a small wrong
// implementation.
//
// Not finite numbers are the texts "inf", "-inf", "nan". Of a function that runs on ranks each argument is a
// list, one a rank.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/json.h"

namespace ringside::coding {

// A part of what comes back: the function's result (0), or what its i-th argument (from 1) is afterwards.
struct Output {
  size_t place = 0;
  std::string name;
};

using Compute = Json (*)(const Json& arguments);  // a value for each Output; null: any value is right

struct Mistake {
  std::string name;  // "bias correction left out"
  Compute result;
  std::string why;
};

// A function on ranks takes a Comm first, which the harness gives it.
enum class Ranks : uint8_t { kNone, kBufferedSends, kWaitingSends };

struct CodingDrill {
  std::string id = {}, title = {}, topic = {}, lesson = {};
  std::string judged_by = {};               // "AdamW of engine/optim"
  std::vector<std::string> arguments = {};  // their names
  std::vector<Output> outputs = {};
  std::vector<Json> cases = {};
  Compute right = nullptr;
  std::vector<Mistake> mistakes = {};
  Ranks ranks = Ranks::kNone;
};

const std::vector<CodingDrill>& coding_drills();
// UsageError with the ids that there are.
const CodingDrill& find_coding_drill(const std::string& id);

// Numbers are equal within 1e-7 of their size; null is equal to anything.
bool same(const Json& expected, const Json& got);

// Between JSON and numbers.
using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;
using Pairs = std::vector<std::pair<size_t, size_t>>;
double number_of(const Json& value);
Vector vector_of(const Json& value);
Matrix matrix_of(const Json& value);
Json json_of(double value);
Json json_of(const Vector& values);
Json json_of(const Matrix& rows);

// Quarters between -2 and 2, the same for the same seed.
Vector drawn(size_t count, uint64_t seed);
Matrix drawn(size_t rows, size_t count, uint64_t seed);

// Each file's.
std::vector<CodingDrill> drills_on_ranks(), drills_of_updates(), drills_of_layers(), drills_of_orders();

}  // namespace ringside::coding
