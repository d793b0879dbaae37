#include "pickle.h"

#include <bit>
#include <map>
#include <ranges>
#include <set>

#include "ringside/base/text.h"

namespace ringside::inline flight {
namespace {

constexpr int kMaxDepth = 32;
constexpr int64_t kMaxMemo = int64_t{1} << 32;
// What a value takes, rather too much than too little: a list of them grows by doubling.
// All copies that the memo makes: a frame of Python is 5 bytes, and a dict of three.
constexpr size_t kMaxCopied = size_t{64} << 20, kCopiedPerByte = 200;
constexpr size_t kOneValue = 32, kOneText = 64, kOneKey = 160, kOneContainer = 96;

struct Item {
  Json value;
  size_t cost = kOneValue;
  int depth = 0;
  int64_t memo = -1;  // where a container is kept once it is complete
  bool mark = false;
};

int64_t place_of(const PickleOp& op) {
  if (!op.is("pg")) return op.number;
  const auto place = read_number<int64_t>(op.text);
  if (!place || *place < 0 || *place > kMaxMemo)
    throw JsonRejected("pickle: a place in the memo is no number");
  return *place;
}

// What is never asked for again is not kept.
std::set<int64_t> asked_for(std::string_view bytes) {
  std::set<int64_t> places;
  for (PickleOpcodes ops(bytes); !ops.done();) {
    const PickleOp op = ops.next();
    if (op.code == '.') break;
    if (op.is("hjg")) places.insert(place_of(op));
  }
  return places;
}

Json whole_number(std::string_view little_endian) {
  if (little_endian.size() > 8) throw JsonRejected("pickle: a number of more than 64 bits");
  const bool negative = !little_endian.empty() && (little_endian.back() & 0x80);
  uint64_t number = negative ? ~uint64_t{0} : 0;
  for (const char byte : little_endian | std::views::reverse)
    number = number << 8 | static_cast<unsigned char>(byte);
  return int64_t(number);
}

Json decimal(const PickleOp& op) {
  std::string_view text = op.text;
  if (op.code == 'F') {
    if (const auto number = read_number<double>(text)) return *number;
    throw JsonRejected("pickle: '{}' is no number", as_typed(text));
  }
  if (op.code == 'I' && (text == "00" || text == "01")) return text == "01";
  if (text.ends_with('L')) text.remove_suffix(1);
  const auto number = read_number<int64_t>(text);
  if (!number) throw JsonRejected("pickle: '{}' is no number of 64 bits", as_typed(text));
  return *number;
}

Json binary_float(std::string_view big_endian) {
  uint64_t bits = 0;
  for (const char byte : big_endian) bits = bits << 8 | static_cast<unsigned char>(byte);
  return std::bit_cast<double>(bits);
}

class Machine {
 public:
  Machine(std::string_view bytes, size_t most_bytes, const std::function<bool(Json&)>& take)
      : ops_(bytes), asked_for_(flight::asked_for(bytes)), most_bytes_(most_bytes), take_(take) {
    used_ = asked_for_.size() * kOneContainer;
  }

  Json run() {
    while (!ops_.done()) {
      const PickleOp op = ops_.next();
      if (op.code == '.') {
        Item last = pop();
        if (!stack_.empty() || last.mark) reject();
        return std::move(last.value);
      }
      step(op);
    }
    throw JsonRejected("pickle: it is cut off: no STOP");
  }

 private:
  [[noreturn]] void reject() const { throw JsonRejected("pickle: it makes no sense at byte {}", ops_.at()); }

  [[noreturn]] void reject_global() {  // STACK_GLOBAL: the module and the name are values
    const Json name = pop().value, module = pop().value;
    const auto text = [](const Json& value) { return value.is_string() ? value.get<std::string>() : "?"; };
    throw JsonRejected("pickle: it asks for {}.{}; only plain values are read", as_typed(text(module)),
                       as_typed(text(name)));
  }

  void spend(size_t bytes) {
    used_ += bytes;
    if (used_ > most_bytes_)
      throw JsonRejected("pickle: its values need more than {} bytes of memory", most_bytes_);
  }
  void push(Item item) {
    if (item.depth > kMaxDepth) throw JsonRejected("pickle: deeper than {}", kMaxDepth);
    spend(item.cost);
    stack_.push_back(std::move(item));
  }
  void push_text(std::string_view text) {
    push({.value = std::string(text), .cost = kOneValue + kOneText + text.size()});
  }
  void push_container(Json value) { push({.value = std::move(value), .cost = kOneContainer, .depth = 1}); }

  Item pop() {
    if (stack_.empty()) reject();
    Item item = std::move(stack_.back());
    stack_.pop_back();
    used_ -= item.cost;
    if (item.memo >= 0) remember(item.memo, item);
    item.memo = -1;
    return item;
  }
  Item& top() {
    if (stack_.empty() || stack_.back().mark) reject();
    return stack_.back();
  }

  // All above the last mark, which goes too. They stay on the stack until the caller has moved them.
  size_t above_mark() const {
    for (size_t i = stack_.size(); i > 0; --i)
      if (stack_[i - 1].mark) return i;
    reject();
  }
  void drop_to(size_t size) {
    while (stack_.size() > size) pop();
  }

  Item copy_of(const Item& item) {
    copied_ += item.cost;
    if (copied_ > kMaxCopied + kCopiedPerByte * ops_.size())
      throw JsonRejected("pickle: it repeats its values too often");
    return {.value = item.value, .cost = item.cost, .depth = item.depth};
  }
  void remember(int64_t place, const Item& item) {
    on_stack_.erase(place);
    if (!asked_for_.contains(place)) return;
    spend(item.cost);
    const auto kept = memo_.find(place);
    if (kept != memo_.end()) used_ -= kept->second.cost;
    memo_[place] = copy_of(item);
  }
  // A container is kept when it leaves the stack, as only then it is complete.
  void put(int64_t place) {
    Item& item = top();
    if (!item.value.is_structured()) return remember(place, item);
    if (!asked_for_.contains(place)) return;
    item.memo = place;
    on_stack_[place] = stack_.size() - 1;
  }
  void get(int64_t place) {
    const auto waiting = on_stack_.find(place);
    const auto kept = memo_.find(place);
    if (waiting != on_stack_.end() && !being_filled(waiting->second))
      push(copy_of(stack_.at(waiting->second)));
    else if (waiting == on_stack_.end() && kept != memo_.end())
      push(copy_of(kept->second));
    else
      throw JsonRejected("pickle: a value that is not there yet, or that holds itself, at byte {}",
                         ops_.at());
  }
  bool being_filled(size_t place) const { return place + 1 < stack_.size() && stack_[place + 1].mark; }

  void append(Item& list, Item&& item) {
    if (!list.value.is_array()) reject();
    grow(list, item.cost, item.depth);
    list.value.push_back(std::move(item.value));
  }
  void set(Item& dict, Item&& key, Item&& item) {
    if (!dict.value.is_object() || key.value.is_structured()) reject();
    grow(dict, kOneKey + key.cost + item.cost, item.depth);
    dict.value[key.value.is_string() ? key.value.get<std::string>() : key.value.dump()] =
        std::move(item.value);
  }
  void grow(Item& container, size_t cost, int depth) {
    spend(cost + kOneValue);
    container.cost += cost + kOneValue;
    container.depth = std::max(container.depth, depth + 1);
    if (container.depth > kMaxDepth) throw JsonRejected("pickle: deeper than {}", kMaxDepth);
  }

  // Moves what stands from `first` on into a container, whose place is `into`.
  void move_items(size_t into, size_t first) {
    if (into >= stack_.size() || stack_[into].mark) reject();
    const bool is_dict = stack_[into].value.is_object();
    const size_t count = stack_.size() - first;
    if (is_dict && count % 2 != 0) reject();
    for (size_t i = first; i < stack_.size(); i += is_dict ? 2 : 1) {
      if (is_dict)
        set(stack_[into], taken(i), taken(i + 1));
      else
        append(stack_[into], taken(i));
    }
  }
  // Its memory is counted where it goes to.
  Item taken(size_t place) {
    Item& item = stack_[place];
    if (item.mark) reject();
    used_ -= item.cost;
    if (item.memo >= 0) remember(item.memo, item);
    Item moved = std::move(item);
    item = {.value = nullptr, .cost = 0};
    return moved;
  }
  void collect(Json empty, size_t first, bool with_mark) {
    Item made{.value = std::move(empty), .cost = kOneContainer, .depth = 1};
    spend(made.cost);
    stack_.insert(stack_.begin() + std::ptrdiff_t(first), std::move(made));
    move_items(first, first + 1);
    drop_to(first + 1);
    if (!with_mark) return;
    std::swap(stack_[first - 1], stack_[first]);
    pop();
  }
  void extend() {  // APPENDS, SETITEMS, ADDITEMS
    const size_t first = above_mark();
    if (first < 2) reject();
    move_items(first - 2, first);
    drop_to(first - 1);
    hand_over(stack_.back());
  }
  void hand_over(Item& made) {
    if (!made.value.is_object() || !take_(made.value)) return;
    used_ -= made.cost;
    made.value = nullptr;
    made.cost = kOneValue;
    used_ += made.cost;
  }
  void extend_by(size_t count) {  // APPEND, SETITEM
    if (stack_.size() < count + 1) reject();
    const size_t first = stack_.size() - count;
    move_items(first - 1, first);
    drop_to(first);
  }
  void tuple_of(size_t count) {
    if (stack_.size() < count) reject();
    collect(Json::array(), stack_.size() - count, false);
  }

  void step(const PickleOp& op) {
    if (op.is("hjg")) return get(place_of(op));
    if (op.is("qrp")) return put(place_of(op));
    if (op.is("\x80\x95")) return;  // PROTO, FRAME
    if (op.is("\x93")) reject_global();
    if (op.is("\x94")) return put(memoized_++);
    if (op.is("(")) return push({.value = nullptr, .mark = true});
    if (op.is("0")) return drop_to(stack_.size() - (stack_.empty() ? 0 : 1));
    if (op.is("1")) return drop_to(above_mark() - 1);
    if (op.is("2")) return push(copy_of(top()));
    if (op.is("N")) return push({.value = nullptr});
    if (op.is("\x88\x89")) return push({.value = op.code == '\x88'});
    if (op.is("KMJ")) return push({.value = op.number});
    if (op.is("\x8a\x8b")) return push({.value = whole_number(op.text)});
    if (op.is("ILF")) return push({.value = decimal(op)});
    if (op.is("G")) return push({.value = binary_float(op.text)});
    if (op.is("])\x8f")) return push_container(Json::array());
    if (op.is("}")) return push_container(Json::object());
    if (op.is("as")) return extend_by(op.code == 'a' ? 1 : 2);
    if (op.is("eu\x90")) return extend();
    if (op.is("tl\x91")) return collect(Json::array(), above_mark(), true);
    if (op.is("d")) return collect(Json::object(), above_mark(), true);
    if (op.is("\x85\x86\x87")) return tuple_of(size_t(op.code - '\x84'));
    push_text(op.text);  // the texts and the bytes
  }

  PickleOpcodes ops_;
  const std::set<int64_t> asked_for_;
  const size_t most_bytes_;
  const std::function<bool(Json&)>& take_;
  std::vector<Item> stack_;
  std::map<int64_t, Item> memo_;
  std::map<int64_t, size_t> on_stack_;  // containers that memo_ is going to have
  int64_t memoized_ = 0;
  size_t used_ = 0, copied_ = 0;
};

}  // namespace

Json parse_pickle(std::string_view bytes, size_t most_bytes, const std::function<bool(Json&)>& take) {
  return Machine(bytes, most_bytes, take).run();
}

bool looks_like_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

}  // namespace ringside::inline flight
