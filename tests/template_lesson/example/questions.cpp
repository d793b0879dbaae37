// A question of each kind. Yours keeps those that ask something.
#include <algorithm>

#include "parts.h"

namespace ringside::lessons::example {
namespace {

// Who counted the most bytes sent in all-reduces, one in a hundred apart or more; none before the first.
std::optional<Words> rank_that_sent_most(const Trace& trace) {
  const SectionView* section = trace.find(kSection);
  std::vector<double> sent;  // of each rank
  for (int rank = 0; section != nullptr && rank < section->ranks(); ++rank) {
    sent.push_back(0);
    for (const CollectiveEvent& event : section->collectives(rank))
      if (event.op == Op::kAllReduce) sent.back() += static_cast<double>(event.bytes_sent);
  }
  const auto [least, most] = std::minmax_element(sent.begin(), sent.end());
  if (sent.empty() || *most == 0) return std::nullopt;
  if (*least > 0.99 * *most) return Words{"all alike"};
  return Words{most == sent.begin() ? "rank 0" : "the last rank"};
}

PredictionSpec in_words(std::string id, std::string question, WordQuestion words) {
  PredictionSpec spec{std::move(id), std::move(question)};
  spec.words = std::move(words);
  return spec;
}

PredictionSpec bytes_sent() {
  PredictionSpec spec{"sent", "How many bytes does one rank send in one all-reduce?", "bytes",
                      sent_by_formula};
  spec.wrong = {{"counted once", [](const Config& config) { return sent_by_formula(config) / 2; }},
                {"everything to everyone",
                 [](const Config& config) { return (config.real("ranks") - 1) * buffer_bytes(config); }}};
  spec.measured = sent_as_counted;
  spec.symbols = [](const Config& config) {
    return std::vector<Symbol>{{"N", "ranks", config.real("ranks")},
                               {"B", "bytes of the buffer", buffer_bytes(config)}};
  };
  spec.formula_text = [](const Config&) { return std::string("2(N-1)/N B"); };
  spec.figure = "sent";
  return spec;
}

}  // namespace

std::vector<PredictionSpec> questions() {
  WordQuestion choice{AnswerKind::kChoice};
  choice.right = always(Words{"all alike"});
  choice.options = always(Words{"rank 0", "the last rank", "all alike"});
  choice.wrong = always(std::vector<WrongWords>{{"a ring has a master", {"rank 0"}}});
  choice.measured = rank_that_sent_most;

  WordQuestion choices{AnswerKind::kChoices};
  choices.right = always(Words{"reduce-scatter", "all-gather"});
  choices.options = always(Words{"broadcast", "reduce-scatter", "all-gather", "barrier"});
  choices.wrong = always(std::vector<WrongWords>{{"sum at one rank, then tell the others", {"broadcast"}}});

  WordQuestion order{AnswerKind::kOrder};
  order.right = always(Words{"fill the buffer", "add up its parts", "share the sums"});
  order.options = always(Words{"share the sums", "fill the buffer", "add up its parts"});
  order.wrong = always(std::vector<WrongWords>{
      {"parts are shared before they are added", {"fill the buffer", "share the sums", "add up its parts"}}});

  WordQuestion line{AnswerKind::kLine};
  line.right = always(Words{"2"});
  line.options = always(Words{"fill(buffer, 1)", "all_reduce(buffer)", "look(buffer.back())"});
  line.wrong = always(std::vector<WrongWords>{{"looking at a result sends it", {"3"}}});

  WordQuestion text{AnswerKind::kText};
  text.right = always(Words{"N"});
  text.wrong = always(std::vector<WrongWords>{{"the mean, not the sum", {"1"}}});
  text.accepted = {"the number of ranks", "ranks"};

  return {bytes_sent(),
          in_words("most", "Which rank sends the most in an all-reduce?", choice),
          in_words("made_of", "Which two collectives is an all-reduce made of?", choices),
          in_words("order", "In which order does a step go?", order),
          in_words("waits", "In which line does a rank wait for the others?", line),
          in_words("sum", "Each of N ranks has ones. What is in the buffer behind the all-reduce?", text)};
}

}  // namespace ringside::lessons::example
