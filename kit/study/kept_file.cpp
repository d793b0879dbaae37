#include "kept_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

namespace fs = std::filesystem;

constexpr auto kLockDeadline = std::chrono::milliseconds(500);  // the interface waits for it
constexpr int kMostDepth = 8;
constexpr int kMostAside = 1000;

// Of another process that reads and writes the same file; gone when this one is.
class Lock {
 public:
  explicit Lock(const fs::path& file)
      : descriptor_(::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600)),
        reason_(descriptor_ < 0 ? std::strerror(errno) : "") {
    const auto end = std::chrono::steady_clock::now() + kLockDeadline;
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (std::chrono::steady_clock::now() > end) {
        reason_ = "another program holds its lock";
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    held_ = descriptor_ >= 0;
  }
  ~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Lock& operator=(Lock&&) = delete;
  bool held() const { return held_; }
  const std::string& reason() const { return reason_; }

 private:
  int descriptor_;
  bool held_ = false;
  std::string reason_;
};

}  // namespace

std::string clean_text(std::string_view text, size_t most) {
  std::string clean;
  while (!text.empty() && clean.size() < most) {
    const Letter letter = first_letter(text);
    text.remove_prefix(letter.bytes);
    if (is_control(letter.code)) continue;
    const std::string bytes = to_utf8(letter.code);
    if (clean.size() + bytes.size() > most) break;
    clean += bytes;
  }
  return clean;
}

KeptFile::KeptFile(fs::path folder, std::string name, std::string kind, int version)
    : file_(folder.empty() ? fs::path() : folder / name), kind_(std::move(kind)), version_(version) {}

fs::path KeptFile::lock_file() const { return file_.string() + ".lock"; }

bool KeptFile::refuse(const std::string& message) {
  message_ = message;
  return false;
}

bool KeptFile::read(Json& document) {
  document = Json();
  std::error_code error;
  if (!kept() || !fs::exists(fs::symlink_status(file_, error))) return true;
  const Lock lock(lock_file());
  return read_locked(document, lock.held());
}

// Without the lock (a folder that cannot be written, say) nothing is moved.
bool KeptFile::read_locked(Json& document, bool locked) {
  document = Json();
  message_ = aside_;
  std::error_code error;
  const fs::file_status status = fs::status(file_, error);
  if (status.type() == fs::file_type::not_found) return true;
  if (!fs::is_regular_file(status))  // a pipe would be waited for
    return refuse(file_.string() + (error ? ": " + error.message() : std::string(": is not a file")) +
                  "; nothing is kept");
  errno = 0;
  const auto text = read_at_most(file_, kMostBytes + 1);
  if (!text)
    return refuse(file_.string() + ": cannot be read: " + std::strerror(errno) + "; nothing is kept");
  if (text->size() > kMostBytes) return set_aside("larger than 16 MiB", locked);
  std::string fault;
  if (!parse(*text, document, fault)) {
    document = Json();
    return set_aside(fault, locked);
  }
  if (document["version"].get<int64_t>() > version_) {
    document = Json();
    return refuse(file_.string() + " was written by a newer Ringside and stays as it is; nothing is kept");
  }
  return true;
}

bool KeptFile::parse(const std::string& text, Json& document, std::string& fault) const {
  try {
    document = parse_json(text, {kMostBytes, kMostDepth, kMostBytes});
  } catch (const JsonRejected& rejected) {
    fault = "it cannot be read: " + rejected.why;
    return false;
  }
  if (!document.is_object() || !document.contains("kind") || document["kind"] != kind_ ||
      !document.contains("version") || !document["version"].is_number_integer())
    fault = "it is not " + kind_;
  else if (document["version"].get<int64_t>() < 1)
    fault = "its version is none";
  return fault.empty();
}

bool KeptFile::set_aside(const std::string& why, bool locked) {
  if (!locked) return refuse(file_.string() + ": " + why + "; nothing is kept");
  std::error_code error;
  for (int n = 1; n <= kMostAside; ++n) {
    const fs::path aside = file_.string() + ".damaged-" + std::to_string(n);
    if (fs::exists(fs::symlink_status(aside, error))) continue;
    fs::rename(file_, aside, error);
    if (error)
      return refuse(file_.string() + ": " + why + ", and cannot be moved: " + error.message() +
                    "; nothing is kept");
    message_ = aside_ = file_.string() + ": " + why + "; it was moved to " + aside.filename().string();
    return true;
  }
  return refuse(file_.string() + ": " + why +
                ", and there are too many such files beside it; nothing is kept");
}

void KeptFile::keep_copy(const std::string& why) {
  std::error_code error;
  for (int n = 1; n <= kMostAside; ++n) {
    const fs::path aside = file_.string() + ".damaged-" + std::to_string(n);
    if (!fs::copy_file(file_, aside, error)) {
      if (fs::exists(fs::symlink_status(aside))) continue;
      message_ = aside_ = file_.string() + ": " + why + "; it could not be copied: " + error.message();
      return;
    }
    message_ = aside_ = file_.string() + ": " + why + "; what it was is in " + aside.filename().string();
    return;
  }
}

bool KeptFile::update(const std::function<Json(const Json&)>& merge) {
  if (!kept()) return true;
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  if (error && !fs::is_directory(file_.parent_path()))
    return refuse(file_.parent_path().string() + ": " + error.message() + "; kept in memory only");
  const Lock lock(lock_file());
  if (!lock.held())
    return refuse(file_.string() + ": " + lock.reason() + "; kept in memory, tried again later");
  Json there;
  if (!read_locked(there, true)) return false;
  Json document = merge(there);
  document["kind"] = kind_;
  document["version"] = version_;
  try {
    const std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    write_file_atomically(file_, [&](std::ostream& out) { out << text; });
  } catch (const Error& failure) {
    return refuse(std::string(failure.what()) + "; kept in memory, tried again later");
  }
  return true;
}

}  // namespace ringside::inline kit
