// `ringside drill`: writes a function to fill in, then builds, runs and judges what a person made of it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "commands.h"
#include "folders.h"
#include "interrupt.h"
#include "judge.h"
#include "page.h"
#include "preparation.h"
#include "review_log.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
using coding::Code;
using coding::CodingDrill;
using coding::Language;
using coding::Verdict;

constexpr size_t kMostCode = 256 << 10, kMostValue = 300, kMostPrinted = 5;

std::string card_of(const CodingDrill& drill) { return "code/" + drill.id; }

// The last judgement of it that is kept.
const ReviewEntry* last_of(const std::vector<ReviewEntry>& log, const CodingDrill& drill) {
  const ReviewEntry* last = nullptr;
  for (const ReviewEntry& entry : log)
    if (entry.card == card_of(drill)) last = &entry;
  return last;
}

ExitCode list_drills(std::ostream& out) {
  const std::vector<ReviewEntry> log = ReviewLog(home_folders().data).read();
  const auto cards = replay(log, {});
  out << tr("Functions to write, each judged against the engine:") << '\n';
  for (const CodingDrill& drill : coding::coding_drills()) {
    const ReviewEntry* last = last_of(log, drill);
    const bool due =
        last != nullptr && (last->rating == Rating::kAgain || cards.at(card_of(drill)).due <= utc_now());
    out << "  " << pad(drill.id, 20) << ' ' << drill.title
        << (last == nullptr ? ""
            : due           ? tr("   (due)")
                            : tr("   (passed)"))
        << '\n';
  }
  out << '\n'
      << tr("ringside drill NAME              writes drills/NAME.cpp; from then on judges it\n"
            "ringside drill NAME --python     the same in Python\n"
            "ringside drill NAME --solution   a short solution, to compare with yours")
      << '\n';
  return ExitCode::kOk;
}

// False: there is something already, which stays as it is.
bool write_new(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) return false;
  const std::string why = std::strerror(errno);
  if (descriptor < 0) throw InputError(typed_path(file) + ": " + why);
  const bool whole = ::write(descriptor, text.data(), text.size()) == ssize_t(text.size());
  if (::close(descriptor) != 0 || !whole)
    throw InputError(typed_path(file) + ": it could not be written whole");
  return true;
}

Code read_code(const fs::path& file, Language language) {
  if (fs::exists(file) && !fs::is_regular_file(file))  // a pipe waits
    throw InputError(typed_path(file) + ": it is not a file");
  return {file, read_file(file, kMostCode), language};
}

class Report : public Page {
 public:
  using Page::Page;

  void say(const CodingDrill& drill, const Code& code, const Verdict& verdict) {
    const std::string name = code.file.filename().string();
    if (verdict.passed()) {
      bold(tr("{}: all {} cases agree with {}.", name, verdict.cases, drill.judged_by));
      return line(tr("To compare: ringside drill {} --solution", drill.id + flag_of(code.language)));
    }
    bold(verdict.built ? tr("{}: case {} of {} fails.", name, verdict.right + 1, verdict.cases)
                       : tr("{} does not compile.", name));
    if (verdict.built)
      for (size_t i = 0; i < drill.arguments.size(); ++i)
        value(drill.arguments[i] + of_ranks(drill), drill.cases[verdict.right][i]);
    if (verdict.got) compare(drill, verdict);
    std::istringstream problem(verdict.problem);
    for (std::string one; std::getline(problem, one);) line(one);
    if (verdict.mistake != nullptr)
      line(tr("The mistake: {}. {}", verdict.mistake->name, verdict.mistake->why));
    printed(verdict.printed);
  }

  void line(const std::string& text) { Page::line(text, 2, 4); }

  static std::string flag_of(Language language) { return language == Language::kPython ? " --python" : ""; }

 private:
  static std::string of_ranks(const CodingDrill& drill) {
    return drill.ranks == coding::Ranks::kNone ? "" : tr(", rank by rank");
  }
  void value(const std::string& name, const Json& json) {
    line(name + " = " + as_typed(json.dump(-1, ' ', false, Json::error_handler_t::replace), kMostValue));
  }

  void compare(const CodingDrill& drill, const Verdict& verdict) {
    if (verdict.got->is_object()) {
      const Json& waits = verdict.got->at("hang");
      for (size_t rank = 0; rank < waits.size(); ++rank)
        if (waits[rank] != "")
          line(tr("rank {} waits in {}", rank, as_typed(waits[rank].get<std::string>())));
      return line(tr("Nobody can go on: it hangs."));
    }
    const Json right = drill.right(drill.cases[verdict.right]);
    for (size_t i = 0; i < right.size(); ++i) {
      if (coding::same(right[i], verdict.got->at(i))) continue;
      value(tr("expected {}", drill.outputs[i].name), right[i]);
      value(tr("got {}", drill.outputs[i].name), verdict.got->at(i));
    }
  }

  void printed(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string one; std::getline(all, one);) lines.push_back(one);
    if (!lines.empty()) line(tr("It wrote:"));
    for (size_t i = lines.size() - std::min(lines.size(), kMostPrinted); i < lines.size(); ++i)
      raw("    " + as_typed(lines[i], width() - 4));
  }
};

void keep(const CodingDrill& drill, const Verdict& verdict, Report& report) {
  ReviewLog log(home_folders().data);
  ReviewEntry entry{.card = card_of(drill),
                    .at = utc_now(),
                    .rating = verdict.passed() ? Rating::kGood : Rating::kAgain,
                    .error = verdict.mistake == nullptr ? "" : verdict.mistake->name};
  const CardMemory memory = keep_judged(log, entry);
  if (verdict.passed() && !log.file().empty())
    report.line(tr("ringside review asks for it again in {}.",
                   in_short_time(std::max<int64_t>(memory.due - entry.at, 0))));
}

ExitCode judge_code(const CodingDrill& drill, const Code& code, Report& report) {
  if (code.text == coding::text_of(drill, "start", code.language)) {
    report.line(
        tr("{} is as it was written: fill in the function, then call this again.", code.file.string()));
    return ExitCode::kCheckFailed;
  }
  const InterruptScope interrupt;
  const Verdict verdict = coding::judge(drill, code, [&] { return interrupt.interrupted(); });
  report.say(drill, code, verdict);
  if (!verdict.built) return ExitCode::kInput;
  keep(drill, verdict, report);
  return verdict.passed() ? ExitCode::kOk : ExitCode::kCheckFailed;
}

}  // namespace

ExitCode drill_code(const Options& options, std::ostream& out) {
  const DrillOptions& asked = options.drill;
  if (asked.name.empty()) return list_drills(out);
  const CodingDrill& drill = coding::find_coding_drill(asked.name);
  const bool python = asked.python || fs::path(asked.file).extension() == ".py";
  const Language language = python ? Language::kPython : Language::kCpp;
  if (asked.solution) {
    out << coding::text_of(drill, "solution", language);
    return ExitCode::kOk;
  }
  Report report(options, out);
  if (!asked.file.empty()) return judge_code(drill, read_code(asked.file, language), report);
  const fs::path file = fs::path(asked.folder) / (drill.id + coding::ending_of(language));
  const std::string start = coding::text_of(drill, "start", language);
  if (!write_new(file, start)) return judge_code(drill, read_code(file, language), report);
  out << start << '\n';
  report.bold(tr("This is {}. Fill in the function, then call the same again.", file.string()));
  return ExitCode::kOk;
}

}  // namespace ringside
