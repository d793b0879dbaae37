// Numbers of a run as a block of text names and judges them (lesson_of.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/formula.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {

// InvariantError naming the block where it is none.
Formula formula_in(const TextBlock& block, const std::string& text, const std::vector<Symbol>& symbols);

struct RunNumbers {
  const TextBlock& block;  // whose fields `let` name rows
  const Trace& trace;
  const FigureInput* input = nullptr;  // whose scenario and instant they may name

  // All of them throw NotRun where a row is not there, or a number is not finite.
  double value(const std::string& formula) const;
  std::string said(const std::string& text) const;  // with what stands in its places, "{100 warm.bias : .0f}"
  ClaimResult judged() const;                       // by `holds`, `partly`, `untold` and `found`
  std::optional<int> first_so(const char* field) const;  // of its lines of relations, the first that is so

 private:
  struct Named {
    std::string name;
    const RowEvent* row = nullptr;  // none: there is no such row
    size_t count = 0;
  };
  std::vector<const RowEvent*> rows_of(std::string table) const;
  Named named(const std::string& name, std::string table) const;
  std::vector<Named> rows_in(const std::string& formula) const;
  bool is_so(const std::string& relation) const;
  bool are_so(const std::string& relations) const;
};

}  // namespace ringside::inline kit
