#include "embedded.h"
#include "lesson.h"
#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/planner/reducer.h"

namespace ringside::nccl_lesson {
namespace {

uint64_t draw(const Config& config, const std::string& what) {
  return mix_seed(uint64_t(config.integer("seed")), what);
}

Culprit drawn(const Config& config, const TextBlock& cause, const std::string& what) {
  if (cause.has("rank")) return {cause.id, std::stoi(cause.text("rank"))};
  return {cause.id, 1 + int(draw(config, what) % uint64_t(config.integer("ranks") - 1))};
}

void replace(std::string& text, const std::string& word, int64_t value) {
  if (const size_t at = text.find(word); at != std::string::npos)
    text.replace(at, word.size(), std::to_string(value));
}

// "call": CALL is a fault for each bucket, "step": EACH one for each step.
FaultPlan faults_of(const std::string& text, int rank, const Training& training) {
  FaultPlan faults;
  const auto buckets = std::ssize(
      plan_buckets(classifier_shapes(training.model), {.bucket_size = training.bucket_elements}).buckets);
  const bool calls = text.find("CALL") != std::string::npos, steps = text.find("EACH") != std::string::npos;
  for (int64_t nth = 0; nth < (calls ? buckets : steps ? kSteps - 1 : 1); ++nth) {
    std::string one = text;
    for (const auto& [word, value] : {std::pair<const char*, int64_t>{"RANK", rank},
                                      {"EVALUATED", kEvaluatedStep},
                                      {"NEXT", kEvaluatedStep + 1},
                                      {"CALL", nth},
                                      {"EACH", nth + 1}})
      replace(one, word, value);
    faults.faults.push_back(parse_fault_plan("{\"faults\": [" + one + "]}", "cases.inc").faults.front());
    faults.faults.back().time = std::chrono::nanoseconds(
        int64_t(double(faults.faults.back().time.count()) * 1e-9 * double(training.timeout.count())));
  }
  return faults;
}

}  // namespace

const TextBlocks& causes() {
  static const TextBlocks blocks(lessons::nccl_timeout::embedded("cases.inc"));
  return blocks;
}

Culprit culprit_of_symptom(const Config& config) {
  return drawn(config, causes()["stuck_loader"], "symptom");
}

Culprit culprit_of_case(const Config& config, int which) {
  Words order = causes().all().front().words("options");
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[draw(config, "order " + std::to_string(left)) % left]);
  const auto nth = size_t(which - 1);
  const TextBlock& cause = which > kCasesOfOneLine ? causes().all()[nth] : causes()[order[nth]];
  return drawn(config, cause, cause.id);
}

FaultPlan plan(const Culprit& culprit, Training& training) {
  using Kind = LoopMistake::Kind;
  const TextBlock& cause = causes()[culprit.cause];
  const Words loop = cause.words("loop");
  const std::string kind = loop.empty() ? "" : loop[0];
  LoopMistake& mistake = training.mistake;
  mistake.rank = culprit.rank;
  mistake.kind = kind == "stays"                        ? Kind::kStays
                 : kind == "reduces_alone"              ? Kind::kReducesAlone
                 : kind == "reduces_alone_then_barrier" ? Kind::kReducesAloneThenBarrier
                 : kind == "barrier_alone"              ? Kind::kBarrierAlone
                                                        : Kind::kNone;
  training.swallows = kind == "swallows";
  if (mistake.kind == Kind::kStays) {
    mistake.stays = std::stoi(loop[1]) * training.timeout;
    mistake.doing = fmt::format("{}", fmt::join(loop.begin() + 2, loop.end(), " "));
  }
  if (cause.has("raised")) training.default_timeout = kLonger * training.timeout;
  return cause.has("plan") ? faults_of(cause.text("plan"), culprit.rank, training) : FaultPlan{};
}

void mend(const Culprit& culprit, Training& training) {
  const std::string how = causes()[culprit.cause].text("mend");
  if (how == "outputs") {  // the mistake stays: it has nothing left to write out
    training.outputs = OutputVersion::kV3;
    training.evaluation_gather = EvaluationGather::kLogits;
  } else if (how == "longer") {  // and so it does here: the others wait for it
    training.timeout *= kLonger;
  } else {
    training.mistake.mended = true;
    training.swallows = false;
  }
}

Attributes truth(const Culprit& culprit) {
  const TextBlock& cause = causes()[culprit.cause];
  Words says;
  const Words options = cause.words("options");
  for (const std::string& option : options) says.push_back(causes()[option].text("says"));
  return {{kCulprit, culprit.rank},
          {kCause, cause.id},
          {kSays, cause.text("says")},
          {kFix, cause.text("fix")},
          {kOptions, fmt::format("{}", fmt::join(options, ","))},
          {kOptionWords, fmt::format("{}", fmt::join(says, "|"))}};
}

}  // namespace ringside::nccl_lesson
