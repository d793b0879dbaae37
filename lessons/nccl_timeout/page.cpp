// What the page of a run shows of the lesson: the point of it, then the pictures of the acts that ran, or the
// evidence of one case as far as it was looked at.
#include "ringside/figures/page.h"
#include "lesson.h"
#include "ringside/base/text.h"

namespace ringside::nccl_lesson {
namespace {

class Picture {
 public:
  Picture(const Config& config, const Trace& trace, int width, bool colour)
      : config_(config), trace_(trace), width_(width), colour_(colour) {}

  std::string draw() {
    if (trace_.find("own") == nullptr) says(headline());
    own_plan();
    const std::string which = config_.text("case");
    const SectionView* hang = trace_.find("case " + which);
    if (hang != nullptr && config_.text("act") == "5") {
      one_case("case " + which, *hang);
      return text_;
    }
    if (trace_.find("symptom") != nullptr)
      figure("outcomes", "symptom", config_.with({"cause=tell"}));  // whatever is asked of the cases
    if (runs_act(config_, "4")) autopsy();
    const bool alone = config_.text("act") != "all";
    if (alone && runs_act(config_, "2")) figure("numbers", kSource), figure("tensor", kSource);
    if (alone && trace_.find("original") != nullptr) figure("memory", "original");
    if (alone && runs_act(config_, "4")) figure("bucket", kSource);
    if (alone && runs_act(config_, "5")) figure("cases", "case 1");
    return text_;
  }

 private:
  std::string of(const std::string& name, const char* key) const { return attribute(trace_, name, key); }
  std::optional<double> number(const std::string& name) const { return outcome(trace_, name); }

  void says(const std::string& words) { text_ += wrap(words, size_t(width_), 0) + '\n'; }
  void figure(const std::string& id, const std::string& section) { figure(id, section, config_); }
  void figure(const std::string& id, const std::string& section, const Config& config) {
    const std::string picture =
        picture_text(find_lesson("nccl_timeout"), id, section, config, trace_, width_, colour_);
    const size_t sentence = picture.find('\n');
    says(picture.substr(0, sentence));
    text_ += picture.substr(sentence + 1);
  }

  // In one line, so that it is the first of the page.
  std::string headline() const {
    const auto logged = number("arithmetic_logged"), hidden = number("arithmetic_hidden_size"),
               rest = number("arithmetic_remainder");
    if (!logged)
      return tr("A watchdog's line names the call in which ranks wait, not the rank that is missing.");
    if (std::fmod(*logged, 2) != 0 && std::fmod(*hidden, 2) == 0)
      return tr("A hidden state has {} numbers, which is even. {} is odd.", whole(*hidden), whole(*logged));
    return *rest == 0
               ? tr("{} is a multiple of {}: it may be hidden states.", whole(*logged), whole(*hidden))
               : tr("{} mod {} = {}: it is no hidden state.", whole(*logged), whole(*hidden), whole(*rest));
  }

  void own_plan() {
    if (trace_.find("own") == nullptr) return;
    says(tr("Planned: {}", of("own", kTitle)));
    if (of("own", kEnded) == "completed") {
      const std::string without = outcome_text(trace_, "own_without_parameters_sha256");
      says(tr("It ran to its end: nothing noticed the fault."));
      says(without.empty() ? tr("A run without it did not end, so the two cannot be compared.")
           : without == outcome_text(trace_, "own_parameters_sha256")
               ? tr("Its parameters are those of a run without it.")
               : tr("Its parameters differ from a run without it."));
    }
    for (const LastOfRank& row : rows_in<LastOfRank>(trace_.find("own")))
      if (!row.log.empty()) says(row.log.substr(0, row.log.find('\n')));
  }

  void autopsy() {
    const auto limit = number_in(trace_, kSource, kLimit), first = number("arithmetic_first_bucket"),
               next = number("arithmetic_next_gradient"), tried = number("explain_tried"),
               allowed = number("explain_allowed"), chance = number("explain_allowed_by_chance");
    if (!first || !limit) return;
    says(tr("First bucket: {}", outcome_text(trace_, "first_bucket_sum")));
    if (next)
      says(tr("Next is {} with {}: {} would be more than {}, so the bucket is sent as it is.",
              outcome_text(trace_, "next_gradient"), whole(*next), whole(*first + *next), whole(*limit)));
    if (first != number("arithmetic_logged"))
      says(tr("The log says {}: with these settings the first bucket is another one.",
              whole(number("arithmetic_logged").value_or(0))));
    if (tried && allowed && chance)
      says(
          tr("How sure: of {:.1e} rows of neighbouring gradients, {:.0f} adds up to this number in a bucket "
             "that a reducer would send; by chance {:.2g} would.",
             *tried, *allowed, *chance));
    const auto fast = number("arithmetic_wire_ms_nvlink"), slow = number("arithmetic_wire_ms_ethernet");
    if (fast && slow)
      says(tr("On the wire (calculated, {} ranks): {} by nvlink, {} by ethernet; its deadline was {}.",
              kRanksOfTheCase, format_duration(*fast * 1e-3), format_duration(*slow * 1e-3),
              format_duration(kSourceDeadlineS)));
  }

  void one_case(const std::string& name, const SectionView& hang) {
    const std::string log = of(name, kShownLog);
    says(log.empty() ? tr("No line at all: it ended as {}, and took long.", of(name, kEnded)) : log);
    const auto looks = looks_of(config_);
    for (const std::string& look : looks) {
      if (look != "verdict")
        figure(figure_of_look(look), name);
      else
        text_ += outcome_text(trace_, fmt::format("report_case_{}", case_of(name))) + '\n';
    }
    const std::string used = looks_words(looks.size());
    const std::string &rank = config_.text("culprit"), &cause = config_.text("cause");
    if (rank == "unsaid" && cause == "unsaid") {
      std::string options = of(name, kOptions);
      for (size_t at = 0; (at = options.find(',', at)) != options.npos; at += 3)
        options.replace(at, 1, " | ");
      return says(tr("Look: look=logs,counters,stacks,dump,verdict. Then answer with culprit=RANK cause={}",
                     options));
    }
    const Answered answered = judge(hang, rank, cause, false);
    if (cause != "tell" && answered != Answered::kRight)
      return says(
          answered == Answered::kOnlyRank
              ? tr("Right rank, but another cause. You used {}. Collect more evidence.", used)
              : tr("Wrong rank: that one was only waiting. You used {}. Collect more evidence.", used));
    says(cause == "tell" ? tr("It was this: {}.", truth_of(hang))
                         : tr("Right: {}. Solved with {}.", truth_of(hang), used));
    says(tr("What fixes it: {}.", of(name, kFix)));
    figure("outcomes", name);
    if (of(name + " check", kEnded) == "timeout")
      says(tr("The check finds no fault in a call that is only late: {}", of(name + " check", kSentence)));
  }

  const Config& config_;
  const Trace& trace_;
  const int width_;
  const bool colour_;
  std::string text_;
};

}  // namespace

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  return Picture(config, trace, width, colour).draw();
}

}  // namespace ringside::nccl_lesson
