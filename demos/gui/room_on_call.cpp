#include "room_on_call.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "incident.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::gui {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kExamples = 1000;  // seeds of incidents
constexpr uint64_t kOfOneLevel = 3;   // examples, until they get harder

// A pipe or a device might never end.
void check_path(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError(tr("{}: there is no such file", typed_path(path)));
  if (!fs::is_regular_file(path, error) && !fs::is_directory(path, error))
    throw InputError(tr("{}: it is no file and no folder", typed_path(path)));
}

// One rank never comes, and the log tells which: the seed of such an incident.
uint64_t first_example() {
  for (uint64_t seed = 0; seed < kExamples; ++seed)
    if (const Incident one = make_incident(seed, 1);
        one.is(Cause::kAbsent) && autopsy(one.log).first.size() == 1)
      return seed;
  return 0;
}

// What a shell makes of a path that is typed; "-" is no stream here.
std::string without_shell(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && path.starts_with("~/")) return home + path.substr(1);
  return path == "-" ? "./-" : path;
}

}  // namespace

std::string OnCall::Source::words() const {
  std::string all = name;
  if (!paths.empty()) all = as_typed(paths.front());
  if (paths.size() > 1) all += tr(" and {} more", paths.size() - 1);
  for (const std::string& file : settings)
    all += tr(", with {}", as_typed(fs::path(file).filename().string()));
  return all;
}

OnCall::~OnCall() { give_up(); }

void OnCall::guarded(const std::function<void()>& act) {
  try {
    fault.clear();
    note.clear();
    act();
  } catch (const Error& error) {
    fault = error.what();
  }
}

// ---- Reading --------------------------------------------------------------------------

OnCall::Read OnCall::carry_out(Source source, const std::shared_ptr<Progress>& progress) {
  const auto on_bytes = [&](int64_t bytes) {
    progress->bytes = bytes;
    if (progress->given_up) throw CancelledError();
  };
  CaseFiles files;
  std::istringstream nothing;
  if (source.text != nullptr) {
    files.log = read_log(*source.text, source.name);
  } else {
    for (const std::string& path : source.paths) check_path(path);
    files = read_case(source.paths, nothing, on_bytes);
  }
  Read read{.source = std::move(source), .logs = files.logs, .diagnosis = {}};
  AutopsyOptions options;
  for (const std::string& file : read.source.settings) add_settings_file(file, options.settings);
  read.diagnosis = diagnose(files, std::move(options));
  return read;
}

void OnCall::read(Source source) {
  guarded([&] {
    give_up();
    open = true;
    progress_ = std::make_shared<Progress>();
    job_ = std::async(std::launch::async, carry_out, std::move(source), progress_);
  });
}

// Its thread ends with the piece that it reads.
void OnCall::give_up() {
  if (progress_) progress_->given_up = true;
  if (job_.valid()) given_up_.push_back(std::move(job_));
}

void OnCall::take(const std::vector<std::string>& dropped) {
  if (dropped.empty()) return;
  if (told_ && std::ranges::all_of(dropped, is_settings_file)) {
    Source again = *told_;
    again.settings.insert(again.settings.begin(), dropped.begin(), dropped.end());
    return read(std::move(again));
  }
  std::vector<std::string> paths = dropped;
  for (std::string& path : paths) path = without_shell(path);
  read({.paths = std::move(paths)});
}

void OnCall::paste(std::string text) {
  const std::string path(trimmed(std::string_view(text).substr(0, 4096)));
  std::error_code error;
  if (path.empty()) return guarded([] { throw InputError(tr("There is no text to paste.")); });
  if (text.size() < 4096 && path.find('\n') == path.npos && fs::exists(path, error)) return take({path});
  const bool is_cut = text.size() > kMostPasted;
  if (is_cut) text.resize(kMostPasted);
  read({.text = std::make_shared<const std::string>(std::move(text)), .name = tr("pasted")});
  if (is_cut)
    note =
        tr("Only the first {} were taken. Drop a larger log as a file.", format_bytes(double(kMostPasted)));
}

void OnCall::example() {
  static const uint64_t first = first_example();
  const uint64_t seed = first + example_ % kExamples;
  const int level = std::min(kHardestIncident, 1 + int(example_ / kOfOneLevel));
  Incident incident = make_incident(seed, level);
  read({.text = std::make_shared<const std::string>(std::move(incident.log)),
        .name = tr("example {}", seed - first + 1),
        .planned = incident.answer});
  ++example_;
}

std::string OnCall::progress() const {
  const auto bytes = double(progress_ ? progress_->bytes.load() : 0);
  return bytes > 0 ? tr("Reading: {}", format_bytes(bytes)) : tr("Reading");
}

void OnCall::update() {
  const auto is_ready = [](const std::future<Read>& one) {
    return one.valid() && one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  std::erase_if(given_up_, is_ready);
  if (lines) lines->counting();
  if (!is_ready(job_)) return;
  const std::string said = note;
  guarded([&] { show(job_.get()); });
  note = said;
}

// ---- What is shown --------------------------------------------------------------------

void OnCall::show(Read read) {
  told_ = std::move(read.source);
  logs_ = std::move(read.logs);
  diagnosis_ = std::move(read.diagnosis);
  shows_planned = false;
  at_.reset();
  hide_names(hides_);
  const std::vector<Evidence> evidence = all_evidence();
  view = {};
  open_log(evidence.empty() ? 0 : size_t(evidence.front().file));
  if (!evidence.empty()) look_at(evidence.front());
}

void OnCall::hide_names(bool hide) {
  hides_ = hide;
  report_ = hide ? redacted(diagnosis_) : diagnosis_;
  sections_ = report_sections(report_);
  waits = waits_figure(report_);
  ++version;
}

void OnCall::open_log(size_t nth) {
  log_ = nth;
  marked_.clear();
  lines.reset();
  if (told_->text != nullptr)
    lines = std::make_unique<LogLines>(told_->text);
  else if (nth < logs_.size())
    lines = std::make_unique<LogLines>(logs_[nth]);
  for (const Evidence& one : all_evidence())
    if (one.file == int(nth)) marked_.insert(one.line);
}

std::vector<Evidence> OnCall::all_evidence() const {
  std::vector<Evidence> all;
  for (const ReportSection& section : sections_)
    for (const Finding& finding : section.findings)
      for (const Evidence& one : finding.evidence) {
        const auto same = [&](const Evidence& other) {
          return other.file == one.file && other.line == one.line;
        };
        if (one.file >= 0 && std::ranges::none_of(all, same)) all.push_back(one);
      }
  return all;
}

void OnCall::look_at(const Evidence& evidence) {
  if (evidence.file < 0 || !told_) return;
  guarded([&] {
    if (!lines || size_t(evidence.file) != log_) {
      view = {};
      open_log(size_t(evidence.file));
    }
    view.choose(evidence.line);
    const std::vector<Evidence> all = all_evidence();
    const auto here = std::ranges::find_if(
        all, [&](const Evidence& one) { return one.file == evidence.file && one.line == evidence.line; });
    if (here != all.end()) at_ = size_t(here - all.begin());
  });
}

void OnCall::next_evidence(int direction) {
  const std::vector<Evidence> all = all_evidence();
  if (all.empty()) return;
  const size_t now = at_ ? *at_ + all.size() + size_t(direction) : 0;
  look_at(all[now % all.size()]);
}

void OnCall::show_log(int direction) {
  if (logs_.size() < 2) return;
  guarded([&] {
    view = {};
    open_log((log_ + logs_.size() + size_t(direction)) % logs_.size());
  });
}

std::string OnCall::log_name() const {
  if (!told_) return "";
  if (told_->text != nullptr) return told_->name;
  if (logs_.empty()) return "";
  const std::string name = as_typed(fs::path(logs_[log_]).filename().string());
  return logs_.size() < 2 ? name : tr("{} ({} of {})", name, log_ + 1, logs_.size());
}

void OnCall::save(const std::string& file) {
  guarded([&] {
    if (file.empty()) throw InputError(tr("The file needs a name."));
    write_file_atomically(file, [&](std::ostream& out) { out << diagnosis_html(report_); });
    note = tr("Saved: {}", typed_path(fs::absolute(file)));
    save_as.reset();
  });
}

}  // namespace ringside::gui
