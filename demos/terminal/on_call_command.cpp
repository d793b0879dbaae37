// `ringside on_call`: incidents to practise with. One looks at the log as one would at night, then names the
// cause and the rank; each look is counted. Right answers bring harder incidents.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "commands.h"
#include "input_lines.h"
#include "interrupt.h"
#include "ringside/autopsy/incident.h"
#include "ringside/base/field.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

constexpr size_t kShown = 20;  // lines of a look
constexpr size_t kLineColumns = 160;

constexpr const char* kHelp =
    "  head, tail, head 40      the first or last lines\n"
    "  grep WORDS               lines that have these words\n"
    "  rank 3                   lines of one rank\n"
    "  causes                   what an answer can be\n"
    "  answer CAUSE [RANK]      answer exception 3\n"
    "  skip, quit\n";

class OnCall {
 public:
  OnCall(const OnCallOptions& options, std::ostream& out)
      : out_(out), count_(options.count), seed_(options.seed) {}

  ExitCode run() {
    const InterruptScope scope;
    InputLines lines(STDIN_FILENO, 4096, {}, &scope);
    out_ << "On call. Look at the log, then say what stopped first, and which rank.\n" << kHelp;
    next_incident();
    for (auto typed = begin(lines); !typed.empty() && !done_; typed = begin(lines)) say(typed.front().bytes);
    out_ << fmt::format("\n{} of {} right, {} looks\n", right_, asked_, looks_);
    return scope.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
  }

 private:
  std::vector<InputLines::Line> begin(InputLines& lines) {
    if (!done_) out_ << "> " << std::flush;
    return done_ ? std::vector<InputLines::Line>{} : lines.next(1);
  }

  void next_incident() {
    if (asked_ == count_) {
      done_ = true;
      return;
    }
    incident_ = make_incident(seed_++, level_);
    lines_.clear();
    std::istringstream text(incident_.log);
    for (std::string line; std::getline(text, line);) lines_.push_back(line);
    out_ << fmt::format("\nIncident {} of {}: {} ranks, {} lines, PyTorch {}\n", asked_ + 1, count_,
                        incident_.ranks, lines_.size(), incident_.version);
  }

  void say(const std::string& typed) {
    std::istringstream words(typed);
    std::string verb, rest;
    words >> verb;
    std::getline(words >> std::ws, rest);
    if (verb == "answer") return answer(rest);
    if (verb == "quit") done_ = true;
    if (verb == "skip") return reveal("");
    if (verb == "causes") return causes();
    if (verb == "head" || verb == "tail")
      return show(
          verb == "tail", [](const std::string&) { return true; }, rest);
    if (verb == "grep" && !rest.empty())
      return show(
          false, [&](const std::string& line) { return line.find(rest) != std::string::npos; }, "");
    if (verb == "rank") return of_rank(rest);
    if (!done_ && !verb.empty()) out_ << kHelp;
  }

  template <typename Keep>
  void show(bool last, const Keep& keep, const std::string& count) {
    ++looks_;
    std::vector<size_t> found;
    for (size_t i = 0; i < lines_.size(); ++i)
      if (keep(lines_[i])) found.push_back(i);
    const size_t most = std::min<size_t>(read_number<size_t>(count).value_or(kShown), 200);
    const size_t shown = std::min(found.size(), most), from = last ? found.size() - shown : 0;
    for (size_t i = from; i < from + shown; ++i)
      out_ << fmt::format("{:>5}  {}\n", found[i] + 1, as_typed(lines_[found[i]], kLineColumns));
    if (shown < found.size()) out_ << fmt::format("       and {} more\n", found.size() - shown);
    if (found.empty()) out_ << "       no line\n";
  }

  void of_rank(const std::string& text) {
    const auto rank = read_number<int>(text);
    if (!rank) {
      out_ << "which rank? rank 3\n";
      return;
    }
    show(
        false, [&](const std::string& line) { return read_log(line + "\n", "").ranks.contains(*rank); }, "");
  }

  void causes() {
    for (const std::string_view cause : texts(Cause())) out_ << "  " << cause << '\n';
  }

  void answer(const std::string& text) {
    const std::string cause = text.substr(0, text.find(' '));
    const auto known = from_text<Cause>(cause);
    if (!known) {
      out_ << fmt::format("'{}' is no cause; type causes\n", as_typed(cause));
      return;
    }
    const std::string rank = cause.size() < text.size() ? text.substr(cause.size() + 1) : "";
    const bool same = incident_.is(*known);
    const bool who = incident_.rank < 0 || read_number<int>(rank) == incident_.rank;
    right_ += same && who;
    level_ = std::clamp(level_ + (same && who ? 1 : -1), 1, kHardestIncident);
    reveal(same && who ? "Right. " : same ? "The cause is right, the rank is not. " : "Not so. ");
  }

  void reveal(const std::string& verdict) {
    const Finding first = autopsy(incident_.log).first.front();
    out_ << fmt::format("{}{} ({}).\nringside autopsy says: {} [{}]\n", verdict, incident_.answer,
                        to_string(incident_.causes.front()), first.sentence, to_string(first.sure));
    for (const Evidence& evidence : first.evidence)
      out_ << "  │ " << evidence.place << ": " << as_typed(evidence.text, kLineColumns) << '\n';
    ++asked_;
    next_incident();
  }

  std::ostream& out_;
  const int64_t count_;
  uint64_t seed_;
  Incident incident_;
  std::vector<std::string> lines_;
  int level_ = 1;
  int64_t asked_ = 0, right_ = 0, looks_ = 0;
  bool done_ = false;
};

}  // namespace

ExitCode practise_on_call(const Options& options, std::ostream& out) {
  return OnCall(options.on_call, out).run();
}

}  // namespace ringside
