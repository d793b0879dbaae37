#include "review_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "kept_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/random.h"
#include "ringside/base/read_file.h"
#include "ringside/lesson/word_question.h"
#include "study_record_json.h"

namespace ringside::inline kit {
namespace {

namespace fs = std::filesystem;

constexpr char kHeader[] = R"({"kind":"ringside reviews","version":1})"
                           "\n";
constexpr char kScheduler[] = "fsrs-6";
constexpr auto kLongestWait = std::chrono::seconds(2);  // for another window's write
constexpr size_t kMostId = 64;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw InputError(file.string() + ": " + why);
}

// The log, open and locked; unlocked when it goes.
class OpenLog {
 public:
  explicit OpenLog(const fs::path& file) : file_(file) {
    descriptor_ =
        ::open(file.c_str(), O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);
    if (descriptor_ < 0) refuse(file, std::string(std::strerror(errno)) + "; the review is not kept");
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) fail("it is not a file");
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (std::chrono::steady_clock::now() > end)
        fail("another program holds its lock; the review is not kept");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::fstat(descriptor_, &status);
    size_ = size_t(status.st_size);
  }
  ~OpenLog() { ::close(descriptor_); }
  OpenLog& operator=(OpenLog&&) = delete;

  // Behind the last line that ends.
  size_t whole() const {
    std::string tail(std::min(size_, ReviewLog::kMostLine), '\0');
    const auto from = static_cast<off_t>(size_ - tail.size());
    if (::pread(descriptor_, tail.data(), tail.size(), from) != ssize_t(tail.size()))
      fail(std::strerror(errno));
    const size_t end = tail.rfind('\n');
    if (end == tail.npos && size_ > tail.size()) fail("it does not end with a line; move it away");
    return end == tail.npos ? 0 : size_ - tail.size() + end + 1;
  }
  void require_header() const {
    std::string begin(sizeof kHeader - 1, '\0');
    if (::pread(descriptor_, begin.data(), begin.size(), 0) != ssize_t(begin.size()) || begin != kHeader)
      fail("it is no log of reviews that this Ringside can write");
  }
  void cut(size_t size) {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail(std::strerror(errno));
    size_ = size;
  }
  // On the disk, or not there.
  void write(const std::string& text) {
    const size_t before = size_;
    errno = 0;
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written == ssize_t(text.size()) && ::fdatasync(descriptor_) == 0) return;
    const std::string why = errno != 0 ? std::strerror(errno) : "no space is left";
    if (::ftruncate(descriptor_, static_cast<off_t>(before)) != 0) fail(why);
    fail(why + "; the review is not kept");
  }
  size_t size() const { return size_; }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    refuse(file_, why);
  }
  const fs::path& file_;
  mutable int descriptor_ = -1;
  size_t size_ = 0;
};

void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// What undoes an entry has no card, and the id of that one in `error`.
ReviewEntry entry_of(const std::string& line) {
  const Json json = parse_json(line, {ReviewLog::kMostLine, 2, 20});
  const JsonObject object(json);
  ReviewEntry entry;
  entry.id = clean_text(object.text("id", kMostId), kMostId);
  entry.at = object.integer("at", 0, int64_t{1} << 53);
  if (object.find("undo") != nullptr) {
    entry.error = clean_text(object.text("undo", kMostId), kMostId);
    return entry;
  }
  entry.card = clean_text(object.text("card", ReviewLog::kMostCard), ReviewLog::kMostCard);
  entry.rating = static_cast<Rating>(object.integer("rating", 1, 4) - 1);
  entry.ms = object.integer("ms", 0, int64_t{1} << 40);
  entry.error = clean_text(object.text_or_empty("error", kMostWordBytes), kMostWordBytes);
  if (entry.card.empty() || entry.id.empty()) throw JsonRejected("no name");
  return entry;
}

std::string in_one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string line_of(const ReviewEntry& entry) {
  Json line = {{"id", entry.id},
               {"card", clean_text(entry.card, ReviewLog::kMostCard)},
               {"at", entry.at},
               {"rating", int(entry.rating) + 1},
               {"ms", std::max<int64_t>(0, entry.ms)},
               {"scheduler", kScheduler}};
  if (!entry.error.empty()) line["error"] = clean_text(entry.error, kMostWordBytes);
  return in_one_line(line);
}

void check_header(const fs::path& file, const std::string& line) {
  try {
    const Json json = parse_json(line, {ReviewLog::kMostLine, 2, 20});
    const JsonObject header(json);
    if (header.text("kind") != "ringside reviews") refuse(file, "it is no log of reviews; move it away");
    if (header.integer("version", 1, 1 << 20) > 1) refuse(file, "it was written by a newer Ringside");
  } catch (const JsonRejected&) {
    refuse(file, "it is no log of reviews; move it away");
  }
}

}  // namespace

ReviewLog::ReviewLog(const fs::path& data_folder)
    : file_(data_folder.empty() ? fs::path() : data_folder / "reviews.jsonl") {}

std::vector<ReviewEntry> ReviewLog::read() {
  std::error_code error;
  const fs::file_status status = fs::status(file_, error);
  if (file_.empty() || status.type() == fs::file_type::not_found) return {};
  if (!fs::is_regular_file(status))
    refuse(file_, error ? error.message() : "it is not a file");  // a pipe waits
  const std::string text = read_file(file_, kMostBytes);
  std::vector<ReviewEntry> all;
  std::set<std::string> seen, undone;
  size_t damaged = 0, from = 0;
  for (size_t end; (end = text.find('\n', from)) != text.npos; from = end + 1) {
    if (from == 0) {
      check_header(file_, text.substr(0, end));
      continue;
    }
    try {
      ReviewEntry entry = entry_of(text.substr(from, end - from));
      if (!seen.insert(entry.id).second) continue;
      if (entry.card.empty())
        undone.insert(entry.error);
      else
        all.push_back(std::move(entry));
    } catch (const JsonRejected&) {
      ++damaged;
    }
  }
  note_.clear();
  if (damaged > 0)
    note_ = file_.string() + ": " + std::to_string(damaged) + " lines cannot be read, and are skipped";
  if (from < text.size()) note_ = file_.string() + ": its last line has no end, and does not count";
  std::erase_if(all, [&](const ReviewEntry& entry) { return undone.contains(entry.id); });
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.at < b.at; });
  return all;
}

// Lines that end, all of them or none.
void ReviewLog::add_text(const std::string& lines) {
  if (file_.empty()) return;
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  if (error) refuse(file_, error.message() + "; the review is not kept");
  OpenLog log(file_);
  const size_t whole = log.whole();
  if (whole < log.size()) {
    log.cut(whole);
    note_ = file_.string() + ": its last line had no end, and was dropped";
  }
  if (whole > 0) log.require_header();
  if (whole + lines.size() > kMostBytes) refuse(file_, "it has 64 MiB; move it away");
  log.write(whole == 0 ? kHeader + lines : lines);
  if (whole == 0) flush_folder(file_.parent_path());
}

std::string ReviewLog::append(ReviewEntry entry) {
  entry.id = new_attempt_id();
  add_text(line_of(entry));
  return entry.id;
}

void ReviewLog::check_that_it_keeps() {
  if (file_.empty()) return;
  try {
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    if (error) refuse(file_, error.message() + "; no review can be kept");
    const OpenLog log(file_);
  } catch (const InputError& error) {
    throw InputError(std::string(error.what()) + "; XDG_DATA_HOME names another folder to keep reviews in");
  }
}

void ReviewLog::undo(const std::string& id, int64_t at) {
  add_text(in_one_line({{"id", new_attempt_id()}, {"at", at}, {"undo", id}}));
}

size_t ReviewLog::add_missing(const std::vector<ReviewEntry>& entries) {
  std::set<std::string> known;
  for (const ReviewEntry& entry : read()) known.insert(entry.id);
  std::string lines;
  size_t added = 0;
  for (const ReviewEntry& entry : entries) {
    if (!known.insert(entry.id).second) continue;
    lines += line_of(entry);
    ++added;
  }
  if (added > 0) add_text(lines);
  return added;
}

CardMemory keep_judged(ReviewLog& log, const ReviewEntry& entry) {
  std::vector<ReviewEntry> entries = log.read();
  std::erase_if(entries, [&](const ReviewEntry& one) { return one.card != entry.card; });
  const CardMemory memory = entries.empty() ? CardMemory{} : replay(entries, {}).at(entry.card);
  const bool passes = entry.rating != Rating::kAgain;
  if (!entries.empty() && entries.back().rating == entry.rating && !(passes && memory.due <= entry.at))
    return memory;
  log.append(entry);
  return next_memory({}, memory, entry);
}

CardMemory next_memory(const FsrsOptions& options, const CardMemory& card, const ReviewEntry& entry) {
  RandomStream fuzz(0, "fuzz " + entry.card, uint64_t(card.reviews));
  return review(options, card, entry.rating, entry.at, fuzz.uniform());
}

std::map<std::string, CardMemory> replay(const std::vector<ReviewEntry>& entries,
                                         const FsrsOptions& options) {
  std::map<std::string, CardMemory> cards;
  for (const ReviewEntry& entry : entries) {
    CardMemory& card = cards[entry.card];
    card = next_memory(options, card, entry);
  }
  return cards;
}

}  // namespace ringside::inline kit
