#include "placement.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::inline kit {

std::vector<Card> placement_cards(uint64_t seed) {
  Draw draw(RandomStream(seed, "placement"));
  std::vector<Card> left;
  Words topics;
  for (const Drill& drill : drills()) {
    left.push_back(card_of(drill));
    if (std::ranges::find(topics, drill.topic) == topics.end()) topics.push_back(drill.topic);
  }
  topics = draw.shuffled(topics);
  std::vector<Card> chosen;
  for (size_t i = 0; i < kPlacementQuestions; ++i) {
    const std::string& topic = topics[i % topics.size()];
    const int level = 1 + int((i + i / topics.size()) % 3);
    const auto off = [&](const Card& card) { return card.topic == topic ? std::abs(card.level - level) : 9; };
    const int least =
        off(*std::ranges::min_element(left, [&](const Card& a, const Card& b) { return off(a) < off(b); }));
    std::vector<size_t> nearest;
    for (size_t place = 0; place < left.size(); ++place)
      if (off(left[place]) == least) nearest.push_back(place);
    const size_t place = nearest[size_t(draw.between(0, int64_t(nearest.size()) - 1))];
    chosen.push_back(left[place]);
    left.erase(left.begin() + std::ptrdiff_t(place));
  }
  return chosen;
}

}  // namespace ringside::inline kit
