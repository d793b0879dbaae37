#include "lesson_builds.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "ringside/base/error.h"
#include "ringside/base/source_tree.h"

namespace ringside::gui {
namespace {

constexpr size_t kMostText = 16 << 10;

// The last line that is whole and not empty.
std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return "";
  const size_t begin = text.find_last_of("\r\n", end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

std::filesystem::path run_script() {
  std::error_code unreadable;
  const auto script = program_folder().parent_path().parent_path().parent_path() / "run";
  return std::filesystem::exists(script, unreadable) ? script : std::filesystem::path();
}

void LessonBuilds::ask(const std::string& id) {
  if (awaits(id)) return;
  if (script_.empty())
    throw MissingError("'" + id +
                       "' is not built, and the tree that could build it is not here; ./run build " + id +
                       " builds it there");
  asked_.push_back(id);
  if (process_ == nullptr) start();
}

bool LessonBuilds::awaits(const std::string& id) const {
  return building_ == id || std::ranges::find(asked_, id) != asked_.end();
}

void LessonBuilds::start() {
  building_ = asked_.front();
  asked_.pop_front();
  text_.clear();
  part_ = 0;
  // The room comes first: what it draws should not wait for a compiler.
  process_ = std::make_unique<Process>(std::vector<std::string>{
      "/usr/bin/env", "RINGSIDE_PROGRESS=lines", "nice", "-n", "10", script_.string(), "build", building_});
  process_->input.close();
}

void LessonBuilds::read() {
  char bytes[4096];
  for (const Descriptor* stream : {&process_->output, &process_->errors})
    for (ssize_t count; (count = ::read(stream->number(), bytes, sizeof bytes)) > 0;)
      text_.append(bytes, size_t(count));
  if (text_.size() > kMostText) text_.erase(0, text_.size() - kMostText);
  static const std::regex how_far("compiling ([0-9]+) of ([0-9]+)");
  const std::string line = last_line(text_);
  if (std::smatch found; std::regex_search(line, found, how_far))
    part_ = std::stod(found[1]) / std::max(1.0, std::stod(found[2]));
}

std::string LessonBuilds::progress() const {
  const std::string line = last_line(text_);
  const size_t colon = line.find(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

std::optional<LessonBuilds::Done> LessonBuilds::poll() {
  if (process_ == nullptr) return std::nullopt;
  read();
  const std::optional<int> status = process_->ended();
  if (!status) return std::nullopt;
  read();  // what came between
  Done done{std::exchange(building_, ""), ""};
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) done.error = text_.empty() ? "it was stopped" : text_;
  process_.reset();
  if (!asked_.empty()) start();
  return done;
}

}  // namespace ringside::gui
