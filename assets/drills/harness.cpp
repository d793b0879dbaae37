// Calls one drill's function, case by case: compiled behind the person's file THEIRS, whose function is
// DRILL.
//   argv[1]   a line a case, its arguments as JSON: [a, b, ...]
//   stdout    a line a case: [result, a, b, ...] as they are afterwards; {"error": ...}; {"hang": [...]}
// With RANKS the function runs on several ranks at once and takes a Comm first. Each argument is then a list,
// one a rank, and the result is the number of elements that each rank sent. A send returns at once (RANKS 1),
// or waits until it is received (RANKS 2). Ranks are contexts of one thread: who waits is known, so a hang is
// seen at once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>
#ifdef RANKS
#include <functional>
#endif

#define main main_of_their_own
#include THEIRS
#undef main

namespace harness {

inline void skip(const char*& at) {
  while (*at != '\0' && strchr(" ,\n", *at) != nullptr) ++at;
}

inline void expect(bool holds) {
  if (!holds) throw std::invalid_argument("the function has other parameters than it had at first");
}

template <class T>
void read(const char*& at, T& value) {
  skip(at);
  if constexpr (std::is_arithmetic_v<T>) {
    const bool quoted = *at == '"';  // "nan", "-inf"
    char* end = nullptr;
    value = static_cast<T>(strtod(at + quoted, &end));
    expect(end > at + quoted);
    at = end + quoted;
  } else {
    expect(*at == '[');
    for (++at, skip(at); *at != ']'; skip(at)) {
      value.emplace_back();
      read(at, value.back());
    }
    ++at;
  }
}

template <class Tuple>
void read_all(const char* line, Tuple& arguments) {
  std::apply([&](auto&... all) { (read(++line, all), ...); }, arguments);
  expect(*line == ']');
}

template <class T>
void print(std::string& out, const T& value) {
  const auto list = [&](const auto&... all) {
    size_t place = 0;
    out += '[';
    ((out += place++ > 0 ? "," : "", print(out, all)), ...);
    out += ']';
  };
  if constexpr (std::is_arithmetic_v<T>) {
    char text[40];
    const auto number = static_cast<double>(value);
    if (__builtin_isnan(number))
      strcpy(text, "\"nan\"");  // of either sign
    else
      snprintf(text, sizeof text, __builtin_isinf(number) ? "\"%g\"" : "%.17g", number);
    out += text;
  } else if constexpr (std::is_same_v<T, std::string>) {
    out += '"';
    for (const char c : value) out += c < ' ' || c == '"' || c == '\\' ? '?' : c;
    out += '"';
  } else if constexpr (requires { value.begin(); }) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i)
      print(out += i > 0 ? "," : "", static_cast<const typename T::value_type&>(value[i]));
    out += ']';
  } else {
    std::apply(list, value);
  }
}

#ifndef RANKS
template <class R, class... A>
std::string answer(R (*function)(A...), const char* line) {
  std::tuple<std::decay_t<A>...> arguments;
  read_all(line, arguments);
  std::string out = "[";
  if constexpr (std::is_void_v<R>)
    std::apply(function, arguments), out += "null";
  else
    print(out, std::apply(function, arguments));
  std::apply([&](const auto&... all) { ((print(out += ',', all)), ...); }, arguments);
  return out + "]";
}
#else
struct Box {  // from one rank to another
  std::vector<std::vector<float>> sent;
  size_t taken = 0;
};

struct Rank : Comm {
  void send(int to, const float* data, int count) override;
  void recv(int from, float* data, int count) override;
  void wait(const std::string& what, const std::function<bool()>& ready);

  std::function<void()> body;
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(256 << 10);
  std::string waits, error;
  long elements = 0;
  bool done = false;
};

std::vector<Rank> ranks;
std::vector<std::vector<Box>> boxes;  // [from][to]
ucontext_t scheduler;
bool moved = false;  // somebody has, in this turn

Box& box(int from, int to, int other) {
  if (other < 0 || other >= static_cast<int>(ranks.size()))
    throw std::out_of_range("there is no rank " + std::to_string(other));
  return boxes[static_cast<size_t>(from)][static_cast<size_t>(to)];
}

void Rank::wait(const std::string& what, const std::function<bool()>& ready) {
  for (waits = what; !ready();) swapcontext(&context, &scheduler);
  waits.clear();
  moved = true;
}

void Rank::send(int to, const float* data, int count) {
  Box& to_them = box(rank, to, to);
  to_them.sent.emplace_back(data, data + count);
  elements += count;
  const size_t mine = to_them.sent.size();
  if (RANKS == 2) wait("send " + std::to_string(to), [&, mine] { return to_them.taken >= mine; });
}

void Rank::recv(int from, float* data, int count) {
  Box& from_them = box(from, rank, from);
  wait("recv " + std::to_string(from), [&] { return from_them.taken < from_them.sent.size(); });
  const std::vector<float>& came = from_them.sent[from_them.taken++];
  if (static_cast<int>(came.size()) != count)
    throw std::length_error("recv of " + std::to_string(count) + " elements from rank " +
                            std::to_string(from) + ", which sent " + std::to_string(came.size()));
  memcpy(data, came.data(), came.size() * sizeof(float));
}

void enter(int index) {
  Rank& own = ranks[static_cast<size_t>(index)];
  try {
    own.body();
  } catch (const std::exception& error) {
    own.error = "rank " + std::to_string(index) + ": " + error.what();
  }
  own.done = moved = true;
}

// "": all of them came to their end.
std::string run_all() {
  for (bool open = true; open;) {
    open = moved = false;
    for (Rank& rank : ranks) {
      if (rank.done) continue;
      swapcontext(&scheduler, &rank.context);
      if (!rank.error.empty()) throw std::runtime_error(rank.error);
      open = open || !rank.done;
    }
    if (moved || !open) continue;
    std::vector<std::string> waits;
    for (const Rank& rank : ranks) waits.push_back(rank.waits);
    std::string out = "{\"hang\":";
    print(out, waits);
    return out + "}";
  }
  return "";
}

template <class... A>
std::string answer(void (*function)(Comm&, A...), const char* line) {
  std::tuple<std::vector<std::decay_t<A>>...> arguments;  // [rank]
  read_all(line, arguments);
  const size_t size = std::get<0>(arguments).size();
  ranks = std::vector<Rank>(size);
  boxes.assign(size, std::vector<Box>(size));
  for (size_t r = 0; r < size; ++r) {
    Rank& own = ranks[r];
    own.rank = static_cast<int>(r);
    own.size = static_cast<int>(size);
    own.body = [&, r] { std::apply([&](auto&... all) { function(ranks[r], all[r]...); }, arguments); };
    getcontext(&own.context);
    own.context.uc_stack.ss_sp = own.stack.data();
    own.context.uc_stack.ss_size = own.stack.size();
    own.context.uc_link = &scheduler;
    makecontext(&own.context, reinterpret_cast<void (*)()>(enter), 1, static_cast<int>(r));
  }
  if (const std::string hang = run_all(); !hang.empty()) return hang;
  std::vector<long> sent;
  for (const Rank& rank : ranks) sent.push_back(rank.elements);
  std::string out = "[";
  print(out, sent);
  std::apply([&](const auto&... all) { ((print(out += ',', all)), ...); }, arguments);
  return out + "]";
}
#endif

}  // namespace harness

int main(int, char** argv) {
  FILE* answers = fdopen(dup(1), "w");
  dup2(2, 1);  // what they print is no answer
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  FILE* cases = fopen(argv[1], "r");
  char* line = nullptr;
  size_t room = 0;
  const pid_t own = getpid();
  while (getline(&line, &room, cases) > 0) {
    std::string out;
    try {
      out = harness::answer(&DRILL, line);
    } catch (const std::exception& error) {
      harness::print(out = "{\"error\":", std::string(error.what()));
      out += "}";
    }
    if (getpid() != own) _exit(0);  // of a fork of theirs
    fprintf(answers, "%s\n", out.c_str());
    fflush(answers);
  }
}
