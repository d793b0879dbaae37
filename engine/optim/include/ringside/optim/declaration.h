// What an optimizer declares. Sliders, the bytes of state in plan and ledger, ZeRO's choice of shards and the
// names in a checkpoint derive from it; code that applies an update reads nothing else.
//
// The file engine/optim/NAME.cpp defines OptimizerSpec optimizers::NAME(). CMake finds it; adding the file
// is all there is to adding an optimizer.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside::inline optim {

// What one update has to see whole. Elements can be cut into shards anywhere; the others have to declare what
// they need of the rest: sums over it, or the whole of it on one rank.
enum class Granularity : uint8_t {
  kElement,  // each element alone: any stretch of a flat buffer, also across parameters
  kTensor,   // a parameter, for a sum over it
  kMatrix,   // a parameter of rows and columns; one of another shape has a rule of its own
  kGlobal    // all parameters at once
};

using Values = std::map<std::string, double>;  // of hyperparameters, by name

// What a state has a value of. A matrix is a parameter of two dimensions; its rows and columns are kept whole
// by every rank that updates a part of it.
enum class Per : uint8_t {
  kElement,
  kRow,             // of a matrix; others have none
  kColumn,          // of a matrix; others have none
  kElementOfVector  // of what is no matrix; a matrix has none
};

// fp32 values that are kept from step to step, 0 before the first.
struct StateSpec {
  std::string name, meaning;
  std::string unless_zero = "";  // a hyperparameter; where it is 0 this state is not kept
  Per per = Per::kElement;
  std::string times = "";  // a hyperparameter: so many are kept, "NAME 1", "NAME 2", ...

  // Values that go with `elements` elements of a parameter of this shape.
  int64_t count(std::span<const int64_t> shape, int64_t elements) const {
    const bool is_matrix = shape.size() == 2;
    if (per == Per::kElement || elements == 0) return elements;
    if (per == Per::kElementOfVector) return is_matrix ? 0 : elements;
    return is_matrix ? shape[per == Per::kRow ? 0 : 1] : 0;
  }
};

struct HyperparameterSpec {
  std::string name, meaning;
  double standard = 0;  // the value that holds where none is given
  double least = 0, below = std::numeric_limits<double>::infinity();  // least <= value < below
};

// The parameters of which `holds` is true, and the values that are theirs. Where several groups hold a
// parameter a later one's values win and their rates are multiplied.
struct ParameterGroup {
  std::string name;
  std::function<bool(const std::string& parameter, std::span<const int64_t> shape)> holds;
  Values values;
  double rate = 1;  // the learning rate of the group, in units of everybody's
};

// n elements of a flat buffer, or one parameter. Trainings have float; in double the same rules are held
// against other implementations of them.
template <typename Real>
struct ElementsOf {
  int64_t count = 0;               // n
  Real* weights = nullptr;         // (n) the parameter, or its fp32 master copy
  const void* gradient = nullptr;  // (n) summed over samples, not yet divided
  Dtype gradient_dtype = sizeof(Real) == sizeof(float) ? Dtype::kFloat32 : Dtype::kFloat64;  // or bf16
  bool is_parameter = false;         // they are one parameter's; else elements are all there is to see
  uint16_t* rounded = nullptr;       // (n) bf16 copy of the weights, refreshed after the update; or null
  std::vector<Real*> state{};        // (its count) each, in the order in which it is declared
  std::span<const int64_t> shape{};  // of the parameter, where they are one's; empty: a single value
  int64_t first = 0;                 // where in the parameter the elements begin
  std::vector<double*> sums{};       // of each round of the declared sums: this parameter's
  Real* whole = nullptr;             // (n) what is changed in one piece, where it is declared; else null
};
using Elements = ElementsOf<float>;

struct UpdateOptions {
  double learning_rate = 0;
  int64_t step = 1;          // counts from 1
  float gradient_scale = 1;  // 1/samples x clipping; an update multiplies each element of the gradient by it
};

// Changes weights and state. `values` has every hyperparameter; a state that is not kept is null.
template <typename Real>
using UpdateOf = std::function<void(const ElementsOf<Real>&, const Values& values, const UpdateOptions&)>;

struct Update {
  Update() = default;
  template <typename Rule>
  requires std::invocable<Rule, const Elements&, const Values&, const UpdateOptions&> Update(Rule rule)
      : in_float(rule) {
    if constexpr (std::invocable<Rule, const ElementsOf<double>&, const Values&, const UpdateOptions&>)
      in_double = rule;
    if constexpr (requires { Rule::kRounds; }) rounds = Rule::kRounds;
  }

  template <typename Real>
  const UpdateOf<Real>& of() const {
    if constexpr (std::is_same_v<Real, float>)
      return in_float;
    else
      return in_double;
  }

  UpdateOf<float> in_float;
  UpdateOf<double> in_double;  // none: the rule is written for float alone
  bool rounds = false;         // it refreshes Elements::rounded itself
};

// Sums over a whole parameter (granularity global: over all of them) that the update, or the next sums, have
// to know. Where ranks have parts of a parameter, each adds its own, and the sums of the ranks are added.
struct SumsSpec {
  std::string meaning;
  std::function<int64_t(std::span<const int64_t> shape, const Values& values)> count{};  // doubles
  Update add{};  // what these elements give, to sums[this round]; may change state
};

// What a whole parameter is needed for: one rank, its owner, gets the values of all of its elements, changes
// them, and gives them back.
struct WholeSpec {
  std::string meaning;
  std::function<bool(std::span<const int64_t> shape, const Values& values)> of;  // of this parameter
  // What changing it costs, in multiplications: owners are chosen by it.
  std::function<double(std::span<const int64_t> shape)> work;
  Update before{};  // writes `whole`; may change state
  Update change{};  // of all of the parameter's `whole`; has its shape and nothing else
};

struct OptimizerSpec {
  std::string name;   // "adamw"
  std::string title;  // "AdamW"
  Granularity granularity = Granularity::kElement;
  std::vector<StateSpec> state;
  std::vector<HyperparameterSpec> hyperparameters;
  std::vector<SumsSpec> sums{};          // in this order, each before the next
  std::optional<WholeSpec> whole{};      // then this
  Update update;                         // last
  std::vector<ParameterGroup> groups{};  // the optimizer's own; a configuration's come after them
  // It compares the gradients of two steps. Clipping scales each step's by another factor, so that their
  // difference says nothing of the loss: it is refused (require_clipping).
  bool compares_gradients = false;
};

}  // namespace ringside::inline optim
