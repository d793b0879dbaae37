#include "ringside/trace/server_view.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace ringside::inline trace {
namespace {

constexpr size_t kMostMessages = 30;  // of one push

struct Story {
  MessageEvent push = {};
  int64_t end_ns = 0;  // its acknowledgement came
  bool alone = true;   // no other push of its range was on its way
};

}  // namespace

std::map<int32_t, std::string> ServerView::nodes(const std::string& role) const {
  std::map<int32_t, std::string> names;
  for (const auto& [rank, node] : last<ServerNode>()) {
    if (node.role != role) continue;
    const bool is_new = section_->life(rank).began_ns.has_value();
    names[rank] = (is_new ? "new " : "") + role + " " + std::to_string(node.number);
  }
  return names;
}

bool ServerView::is_dead(int32_t rank) const {
  for (const NoteEvent& note : section_->notes(rank))  // a crash
    if (note.time_ns <= until_ns_) return true;
  return false;
}

std::map<int64_t, std::vector<int32_t>> ServerView::chains() const {
  std::map<int64_t, std::vector<int32_t>> chains;
  if (section_ == nullptr) return chains;
  for (const RowEvent* event : section_->rows_of(RangeChain::kTable)) {
    const auto row = row_as<RangeChain>(*event);
    if (!row || event->time_ns > until_ns_) continue;
    std::istringstream ranks(row->nodes);
    chains[row->range] = {std::istream_iterator<int32_t>(ranks), {}};
  }
  return chains;
}

bool ServerView::waits(int32_t rank) const {
  for (const SpanEvent& span : section_->spans(rank))
    if (trace_.name(span.name) == "wait" && span.start_ns <= until_ns_ && until_ns_ < span.end_ns)
      return true;
  return false;
}

double ServerView::seconds_of(int32_t rank, std::string_view name) const {
  int64_t ns = 0;
  for (const SpanEvent& span : section_->spans(rank))
    if (trace_.name(span.name) == name && span.start_ns <= until_ns_)
      ns += std::min(span.end_ns, until_ns_) - span.start_ns;
  return double(ns) * 1e-9;
}

std::map<int64_t, MessageEvent> ServerView::messages() const {
  std::map<int64_t, MessageEvent> messages;
  for (int rank = 0; section_ != nullptr && rank < section_->ranks(); ++rank)
    for (const MessageEvent& event : section_->messages(rank))
      if (const auto [at, is_new] = messages.try_emplace(event.id, event);
          !is_new && event.state != MessageState::kSent)
        at->second = event;
  return messages;
}

std::vector<MessageEvent> ServerView::messages_of_a_push() const {
  const std::map<int64_t, MessageEvent> all = messages();
  std::map<int64_t, std::map<int32_t, Story>> open;  // by range and worker
  std::optional<Story> last;
  for (const auto& [id, message] : all) {
    const std::string& tag = trace_.name(message.tag);
    auto& others = open[message.first_key];
    if (tag == "push" && message.time_sent_ns <= until_ns_ && !others.contains(message.from)) {
      for (auto& [worker, story] : others) story.alone = false;
      others[message.from] = {message, 0, others.empty()};
    } else if (tag == "pushed" && message.time_received_ns > 0 && others.contains(message.to)) {
      Story story = others.extract(message.to).mapped();
      story.end_ns = message.time_received_ns;
      if (story.alone || !last || !last->alone) last = story;
    }
  }
  std::vector<MessageEvent> messages;
  for (const auto& [id, message] : all) {
    const std::string& tag = trace_.name(message.tag);
    const bool is_of_a_push = tag == "push" || tag == "pushed" || tag == "forward" || tag == "stored";
    if (last && is_of_a_push && message.first_key == last->push.first_key && id >= last->push.id &&
        message.time_sent_ns <= last->end_ns && messages.size() < kMostMessages)
      messages.push_back(message);
  }
  return messages;
}

}  // namespace ringside::inline trace
