// Which picture stands beside a question that names none.
#include <catch.h>

#include "ringside/panel/figures.h"
namespace ringside {
namespace {

PredictionSpec question(std::string id, std::string figure = "") {
  PredictionSpec spec{std::move(id), "What is it?"};
  spec.figure = std::move(figure);
  return spec;
}

FigureSpec figure_of(std::string id, std::vector<std::string> answers = {}) {
  FigureSpec spec{std::move(id), "a picture", nullptr};
  spec.answers = std::move(answers);
  return spec;
}

// The ids of the pictures beside each question, in order.
std::vector<std::string> beside_each(std::vector<PredictionSpec> questions, std::vector<FigureSpec> figures) {
  Lesson lesson;
  lesson.text = "# A lesson\n\nIts opening.\n";
  lesson.predictions = std::move(questions);
  lesson.figures = std::move(figures);
  const FigureBoard board(lesson);
  std::vector<std::string> all;
  for (const PredictionSpec& one : lesson.predictions) {
    const auto nth = board.beside(one);
    all.push_back(nth ? lesson.figures[*nth].id : "none");
  }
  return all;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a picture that tells nothing stands beside every question that names none") {
  CHECK(beside_each({question("a"), question("b"), question("c", "own"), question("d")},
                    {figure_of("loss"), figure_of("own"), figure_of("tells", {"a", "b"})}) ==
        Ids{"loss", "loss", "own", "loss"});
  CHECK(beside_each({question("a"), question("b")}, {figure_of("tells", {"a", "b"}), figure_of("free")}) ==
        Ids{"free", "free"});
}

TEST_CASE("the picture of the question before never stands beside the next one") {
  // What told the answer before is open now; what tells this one is closed.
  CHECK(beside_each({question("a"), question("b")}, {figure_of("one", {"a"}), figure_of("two", {"b"})}) ==
        Ids{"one", "two"});
  CHECK(beside_each({question("a", "cells"), question("b"), question("c")},
                    {figure_of("cells"), figure_of("two", {"b"}), figure_of("three", {"c"})}) ==
        Ids{"cells", "two", "three"});
  // Only a question before: one that comes later keeps its picture for whoever asks first.
  CHECK(beside_each({question("a"), question("b", "cells")}, {figure_of("cells"), figure_of("two", {"a"})}) ==
        Ids{"cells", "cells"});
}

TEST_CASE("where no picture tells the answer, the one that the lesson opens with stays") {
  CHECK(beside_each({question("a"), question("b")}, {figure_of("two", {"b"}), figure_of("one", {"a"})}) ==
        Ids{"one", "two"});
  CHECK(beside_each({question("a", "cells"), question("b")}, {figure_of("cells")}) == Ids{"cells", "cells"});
  CHECK(beside_each({question("a")}, {}) == Ids{"none"});
}

}  // namespace ringside
