// Pairs of tensors, the tests that people give, and what is recorded of both.
#pragma once

#include <ATen/ATen.h>

#include "ringside/lesson/rows.h"

namespace ringside::shared_memory {

struct Case {
  std::string name;  // "x & x[1:]"
  at::Tensor a, b;
  bool a_is_gone = false;  // a was freed before b was made: its addresses are all that is left of it
};
// x has 3 * columns elements in fp32; m is x as 3 rows, t its transpose. The figures open with the last one.
std::vector<Case> make_cases(int64_t columns);

struct Test {
  std::string name;                       // "data_ptr"
  std::function<bool(const Case&)> says;  // that they share memory
  bool of_pointers = false;               // it compares two numbers, and does not need both tensors
};
const std::vector<Test>& all_tests();

const char* storage_of(const at::Tensor& tensor);  // where it begins
// Where each element lies in the storage, counted in elements, in the order of the indices.
std::vector<int64_t> places(const at::Tensor& tensor);

struct CaseRow {
  static constexpr char kTable[] = "cases";
  std::string name, a, b, apart;
  bool one_memory = false, one_storage = false;
  int64_t shared = 0;
};
void visit_fields(RowOf<CaseRow> auto& row, auto&& visit) {
  visit(Field{"pair", "a and b"}, row.name);
  visit(Field{"a", "sizes, strides and offset"}, row.a);
  visit(Field{"b", "sizes, strides and offset"}, row.b);
  visit(Field{"b - a", "data_ptr of b less that of a"}, row.apart);
  visit(Field{"one memory", "both have the same cells"}, row.one_memory);
  visit(Field{"one storage", "both hold one storage object"}, row.one_storage);
  visit(Field{"shared", "what both address", "bytes"}, row.shared);
}

// A cell of a tensor's memory, from the first to the last; of a memory that both have, there are as many of
// each.
struct CellRow {
  static constexpr char kTable[] = "cells";
  std::string name, tensor, elements;
};
void visit_fields(RowOf<CellRow> auto& row, auto&& visit) {
  visit(Field{"pair", "a and b"}, row.name);
  visit(Field{"tensor", "a or b"}, row.tensor);
  visit(Field{"elements", "of the tensor that lie there: 0, or 0 1 2; empty: none"}, row.elements);
}

struct AnswerRow {
  static constexpr char kTable[] = "answers";
  std::string name, test;
  bool asked = false, says = false, truth = false;
  bool missed() const { return asked && truth && !says; }
  bool false_alarm() const { return asked && says && !truth; }
  bool wrong() const { return missed() || false_alarm(); }
};
void visit_fields(RowOf<AnswerRow> auto& row, auto&& visit) {
  visit(Field{"pair", "a and b"}, row.name);
  visit(Field{"test", "which"}, row.test);
  visit(Field{"asked", "no: it needs a tensor that is gone"}, row.asked);
  visit(Field{"says", "that they share memory"}, row.says);
  visit(Field{"truth", "whether they do"}, row.truth);
}

using Names = std::vector<std::string>;
Names cases_where(const Trace& trace, const std::string& test, bool (AnswerRow::*holds)() const);

std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::shared_memory
