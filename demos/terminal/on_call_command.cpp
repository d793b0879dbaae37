// `ringside on_call`: incidents to practise with. One looks at the log as one would at night, each look
// counted, then names the cause and the rank, and sees what happened and what the autopsy says.
#include <iostream>
#include <sstream>

#include "asker.h"
#include "causes.h"
#include "commands.h"
#include "folders.h"
#include "incident.h"
#include "on_call_log.h"
#include "on_call_score.h"
#include "ringside/base/error.h"
#include "ringside/base/field.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

constexpr size_t kLines = 20;                     // of head and tail
constexpr size_t kMostThreads = size_t{4} << 20;  // bytes
constexpr int kPlacesCost = 3;                    // looks that `ranks` counts as
constexpr size_t kShortLog = 8;                   // lines: all of them are soon seen
constexpr uint64_t kEach = 5;                     // every fifth incident is a public one

// Those whose end is known.
std::vector<Incident> known_threads(bool needed) {
  try {
    std::vector<Incident> all =
        public_incidents(read_file(assets() / "incidents" / "threads.txt", kMostThreads));
    std::erase_if(all, [](const Incident& one) { return one.causes.empty(); });
    return all;
  } catch (const MissingError&) {
    if (needed) throw;
    return {};  // a program that was moved without its tree has the generated ones
  }
}

std::string in_lines(size_t count) { return count == 1 ? tr("1 line") : tr("{} lines", count); }

std::vector<std::string> names_of_causes() {
  const auto all = texts(Cause());
  return {all.begin(), all.end()};
}

class OnCall {
 public:
  OnCall(const Options& options, std::ostream& out)
      : asked_for_(options.on_call),
        page_(options, out),
        score_(home_folders().data, asked_for_.level),
        first_level_(score_.level()),
        threads_(known_threads(asked_for_.only_public)) {
    count_ = asked_for_.only_public ? std::min(asked_for_.count, int64_t(threads_.size())) : asked_for_.count;
    order_ = permutation(int64_t(threads_.size()), RandomStream(asked_for_.seed, "on call, public"));
  }

  ExitCode hold() {
    page_.line(tr("On call: a job has stopped, and there is its log. Look at it, then name what stopped "
                  "first, and which rank. Fewer looks are better."),
               0);
    help();
    bool left = false;
    while (!left && number_ < count_) left = !one_incident();
    sum_up();
    if (!score_.message().empty()) std::cerr << "ringside: " << score_.message() << '\n';
    return page_.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
  }

 private:
  bool is_public() const { return !incident_.link.empty(); }

  void help() {
    for (const std::string& row :
         {tr("head, tail, head 40   the first or last lines"),
          tr("grep WORDS            lines that have them: grep Error, grep NumelIn not 640"),
          tr("lines 30 50           these lines"), tr("rank 3                lines of one rank"),
          tr("ranks                 who is where, as a picture; counts as {} looks", kPlacesCost),
          tr("causes                what an answer can be"), tr("answer CAUSE RANK     as: absent 3"),
          tr("skip, help, q         the answer; this; the end")})
      page_.raw("  " + row);
  }

  // False: the person left.
  bool one_incident() {
    begin();
    for (answered_ = false; !answered_;) {
      const auto typed = page_.read(">");
      if (!typed || *typed == "quit") return false;
      std::istringstream words(*typed);
      std::string verb, rest;
      words >> verb;
      std::getline(words >> std::ws, rest);
      if (!verb.empty()) follow(verb, rest);
    }
    return true;
  }

  void begin() {
    const auto number = uint64_t(number_++);
    const bool generated =
        !asked_for_.only_public && (number % kEach != kEach - 1 || number / kEach >= order_.size());
    incident_ = generated ? make_incident(mix_seed(asked_for_.seed, "on call", number), score_.level())
                          : threads_[size_t(order_[asked_for_.only_public ? number : number / kEach])];
    log_.emplace(incident_, page_.width());
    looks_ = 0;
    page_.blank();
    page_.bold(generated ? tr("Incident {} of {}   level {}   {} ranks, {}, PyTorch {}", number_, count_,
                              score_.level(), incident_.ranks, in_lines(log_->lines()), incident_.version)
                         : tr("Incident {} of {}   from a public thread   {} lines", number_, count_,
                              log_->lines()));
    if (!generated) page_.line(tr("These are lines that somebody posted, shortened. Name the cause alone."));
  }

  void follow(const std::string& verb, const std::string& rest) {
    if (verb == "answer") return answer(rest);
    if (from_text<Cause>(verb)) return answer(verb + " " + rest);
    if (verb == "skip") return close({}, false);
    if (verb == "causes") return causes();
    if (verb == "help" || verb == "?") return help();
    look(verb, rest);
  }

  void look(const std::string& verb, const std::string& rest) {
    std::istringstream words(rest);
    std::string first, second;
    words >> first >> second;
    const auto one = read_number<size_t>(first), two = read_number<size_t>(second);
    if ((verb == "head" || verb == "tail") && (first.empty() || one.value_or(0) > 0))
      return show(verb == "head" ? log_->head(one.value_or(kLines)) : log_->tail(one.value_or(kLines)), 1);
    const size_t but = rest.find(" not ");
    if (verb == "grep" && !rest.empty())
      return show(log_->grep(rest.substr(0, but), but == rest.npos ? "" : rest.substr(but + 5)), 1);
    if (verb == "lines" && one && two && *one <= *two) return show(log_->from_to(*one, *two), 1);
    if (verb == "rank" && one && !is_public() && *one >= size_t(incident_.ranks))
      return page_.line(tr("'{}' is no rank of 0 to {}.", first, incident_.ranks - 1));
    if (verb == "rank" && one && *one < kMostRanks) return show(log_->of_rank(int(*one)), 1);
    if (verb == "ranks" && rest.empty()) return show(log_->places(), kPlacesCost);
    std::vector<std::string> known = {"head", "tail", "grep", "lines",  "rank",  "ranks",
                                      "skip", "help", "quit", "causes", "answer"};
    if (std::ranges::count(known, verb) > 0)
      return page_.line(tr("It is said as: head, tail 40, grep WORDS, lines 30 50, rank 3, ranks."));
    for (const std::string& cause : names_of_causes()) known.push_back(cause);
    page_.line(tr("'{}' is no word of this{}; help lists them.", as_typed(verb), suggestion(verb, known)));
  }

  void show(const std::string& text, int cost) {
    looks_ += cost;
    page_.out() << text;
  }

  void causes() {
    for (const std::string& name : names_of_causes()) {
      const CauseWords& words = words_of(*from_text<Cause>(name));
      page_.raw("  " + pad(name, 15) + std::string(words.is) + (words.of_a_rank ? "" : tr(" (no rank)")));
    }
  }

  void answer(const std::string& text) {
    std::istringstream words(text);
    std::string name, rank;
    words >> name >> rank;
    if (rank == "rank") words >> rank;
    const auto cause = from_text<Cause>(name);
    if (!cause)
      return page_.line(name.empty() ? tr("As: answer absent 3. causes lists what there is.")
                                     : tr("'{}' is no cause{}; causes lists them.", as_typed(name),
                                          suggestion(name, names_of_causes())));
    const auto who = read_number<int>(rank);
    const bool needs_rank = !is_public() && words_of(*cause).of_a_rank;
    if (needs_rank && (!who || *who < 0 || *who >= incident_.ranks))
      return page_.line(rank.empty()
                            ? tr("Which rank? As: {} 3", name)
                            : tr("'{}' is no rank of 0 to {}.", as_typed(rank), incident_.ranks - 1));
    close(cause, incident_.is(*cause) && (!needs_rank || incident_.rank < 0 || who == incident_.rank));
  }

  // What happened, and why one knows it. Of a public incident less may stand in the lines than the thread
  // found; then no answer is wrong.
  void close(std::optional<Cause> said, bool right) {
    answered_ = true;
    const Diagnosis diagnosis = autopsy(incident_.log);
    const bool shown = !is_public() || diagnosis.first.front().sure != Sure::kCannotBeTold;
    const Cause cause = said && incident_.is(*said) ? *said : incident_.causes.front();
    say_verdict(said, right, shown);
    std::vector<std::string> names;
    for (const Cause one : incident_.causes) names.emplace_back(to_string(one));
    const std::string what = incident_.answer.empty() ? std::string(words_of(cause).is) : incident_.answer;
    page_.item(tr("What happened:"), tr("{} ({}).", what, join(names, tr(" or "))));
    if (is_public()) page_.item(tr("The thread:   "), incident_.link);
    page_.item(tr("How one knows:"),
               shown ? std::string(words_of(cause).shows) + " " + std::string(words_of(cause).differs)
               : diagnosis.settle.empty()
                   ? tr("Not by these lines alone.")
                   : tr("Not by these lines alone. To settle it: {}.", diagnosis.settle.front()));
    tell_autopsy(diagnosis);
    if ((right || shown) && score_.add({cause, said, right, looks_}, !is_public()))
      page_.line(tr("Level {} from here on: {}.", score_.level(),
                    right ? tr("more ranks, more lines that mean nothing") : tr("fewer ranks and lines")));
  }

  void say_verdict(std::optional<Cause> said, bool right, bool shown) {
    const std::string after = looks_ == 1 ? tr("after 1 look") : tr("after {} looks", looks_);
    page_.bold(right                 ? tr("  Right, {}.", after)
               : !said               ? tr("  Skipped {}.", after)
               : !shown              ? tr("  Not so. It does not count: the lines alone do not tell.")
               : incident_.is(*said) ? tr("  The cause is right, the rank is not.")
                                     : tr("  Not so: {} is not it.", to_string(*said)));
  }

  void tell_autopsy(const Diagnosis& diagnosis) {
    const Sure sure = diagnosis.first.front().sure;
    bool named = false;
    std::string words;
    for (const Finding& finding : diagnosis.first) {
      const bool who = incident_.rank < 0 || finding.ranks.empty() ||
                       std::ranges::count(finding.ranks, incident_.rank) > 0;
      named |= incident_.is(finding.cause) && who;
      words += (words.empty() ? "" : tr(", or: ")) + finding.sentence;
    }
    page_.item(tr("The autopsy:  "),
               tr("{} [{}]{}", words, to_string(sure),
                  named                         ? ""
                  : sure != Sure::kCannotBeTold ? tr(". Here it is wrong.")
                                                : tr(". Here it does not name the cause.")));
    std::set<size_t> lines;
    for (const Finding& finding : diagnosis.first)
      for (const Evidence& one : finding.evidence)
        if (one.line > 0) lines.insert(size_t(one.line));
    size_t seen = 0;
    for (const size_t number : lines) {
      page_.out() << log_->line(number);
      seen += log_->seen(number) ? 1 : 0;
    }
    if (!lines.empty() && log_->lines() > kShortLog)
      page_.line(
          tr("It goes by {} of the {} lines; you had seen {} of them.", lines.size(), log_->lines(), seen));
  }

  void sum_up() {
    page_.blank();
    if (score_.asked() == 0) return page_.line(tr("Nothing was answered."), 0);
    page_.bold(tr("{} of {} right{}", score_.right(), score_.asked(),
                  score_.right() == 0 ? "" : tr(", {:.1f} looks for a right one", score_.looks_of_right())));
    page_.out() << score_.table(int(page_.width()));
    if (!score_.missed().empty() && score_.kept())
      page_.line(tr("What was missed has a card now: ringside review."), 0);
    page_.line(tr("The same again: ringside on_call --seed {} --level {}{}", asked_for_.seed, first_level_,
                  asked_for_.only_public ? " --public" : ""),
               0);
  }

  const OnCallOptions& asked_for_;
  Asker page_;
  OnCallScore score_;
  const int first_level_;
  const std::vector<Incident> threads_;
  std::vector<int64_t> order_;  // of the public ones
  int64_t count_ = 0, number_ = 0;
  Incident incident_;
  std::optional<IncidentLog> log_;
  int looks_ = 0;
  bool answered_ = false;
};

}  // namespace

ExitCode practise_on_call(const Options& options, std::ostream& out) { return OnCall(options, out).hold(); }

}  // namespace ringside
