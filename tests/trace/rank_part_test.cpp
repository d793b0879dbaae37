// What a rank recorded, taken over by another process.
#include "ringside/trace/rank_part.h"

#include "catch.h"
#include "check_text.h"
#include "random_cases.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/trace/files.h"
#include "sample_trace.h"

using namespace ringside;

namespace {

struct OneRank {
  std::shared_ptr<TraceStore> store = TraceStore::create("s");
  Recorder& recorder = *store->add_section("a", {}, 2)[1];

  std::string lines() const {
    std::ostringstream out;
    write_jsonl(store->snapshot(), out);
    return out.str();
  }
};

void record_all(Recorder& recorder) {
  record_sample_rank(recorder);
  recorder.scalar({.value = std::numeric_limits<double>::quiet_NaN(), .name = recorder.name("loss")});
  recorder.row({.table = recorder.declare(sample_table()),
                .time_ns = kSampleStart + 8,
                .values = {"x \"1\"", -4096, 2.5, true}});
  recorder.message({.id = 17,
                    .bytes = 400,
                    .first_key = 200,
                    .keys = 100,
                    .time_sent_ns = kSampleStart + 20,
                    .tag = recorder.name("push"),
                    .from = 1,
                    .state = MessageState::kReceivedAgain});
}

std::string refusal(const std::string& part) {
  OneRank other;
  return message_of<InputError>([&] { RankPart::unpack(part, other.recorder, 0); });
}

}  // namespace

TEST_CASE("rank part: another process's trace has every field of it") {
  OneRank here, there;
  there.store->intern("names have other numbers there");
  record_all(here.recorder);
  RankPart::unpack(RankPart::pack(here.recorder, {}), there.recorder, 0);
  CHECK(there.lines() == here.lines());
}

TEST_CASE("rank part: times move by the clocks' distance, and what has not happened stays so") {
  OneRank here, there;
  record_all(here.recorder);
  RankPart::unpack(RankPart::pack(here.recorder, {}), there.recorder, 1000);
  const Trace trace = there.store->snapshot();
  const SectionView& section = *trace.find("a");
  CHECK(section.collectives(1)[0].time_created_ns == kSampleStart + 1 + 10 + 1000);
  CHECK(section.spans(1)[0].end_ns == kSampleStart + 1 + 4000 + 1000);
  CHECK(section.messages(1)[0].time_sent_ns == kSampleStart + 20 + 1000);
  CHECK(section.messages(1)[0].time_received_ns == 0);
  CHECK(section.collectives(1)[0].elements == 1001);
}

TEST_CASE("rank part: it holds what came behind the marks") {
  OneRank here, there;
  record_all(here.recorder);
  const TrackMarks marks = RankPart::mark(here.recorder);
  here.recorder.note({.time_ns = 1, .name = here.recorder.name("later")});
  RankPart::unpack(RankPart::pack(here.recorder, marks), there.recorder, 0);
  const Trace trace = there.store->snapshot();
  const SectionView& section = *trace.find("a");
  REQUIRE(section.notes(1).size() == 1);
  CHECK(trace.name(section.notes(1)[0].name) == "later");
  CHECK((section.spans(1).empty() && section.rows(1).empty()));
  for (const Category category : kCategories) CHECK(section.memory(1, category).empty());
}

TEST_CASE("rank part: parts of it come first, and the whole adds what they lack") {
  OneRank here, there;
  record_sample_rank(here.recorder);
  const TrackMarks some = RankPart::mark(here.recorder);
  TrackMarks known = RankPart::unpack(RankPart::pack(here.recorder, {}), there.recorder, 0);
  CHECK(known == some);
  here.recorder.note({.time_ns = 1, .name = here.recorder.name("later")});
  known += RankPart::unpack(RankPart::pack(here.recorder, some), there.recorder, 0);
  CHECK(known == RankPart::mark(here.recorder));
  CHECK(there.lines() == here.lines());
  record_all(here.recorder);
  RankPart::unpack(RankPart::pack(here.recorder, {}), there.recorder, 0, known);
  CHECK(there.lines() == here.lines());
}

TEST_CASE("rank part: what is none is rejected, and nothing of it is added") {
  OneRank here;
  record_all(here.recorder);
  const std::string part = RankPart::pack(here.recorder, {});
  CHECK(lacks(refusal("GET / HTTP/1.1"), {"does not begin as one"}) == "");
  CHECK(lacks(refusal(part + "x"), {"behind its end"}) == "");
  OneRank rank0;
  const std::string of_rank0 = RankPart::pack(rank0.store->recorder("a", 0), {});
  CHECK(lacks(refusal(of_rank0), {"another rank"}) == "");
  for (size_t cut = 0; cut < part.size(); ++cut) CHECK(refusal(part.substr(0, cut)) != "no error");
  OneRank other;
  const std::string before = other.lines();
  CHECK_THROWS_AS(RankPart::unpack(part.substr(0, part.size() - 1), other.recorder, 0), InputError);
  CHECK(other.lines() == before);
}

TEST_CASE("rank part: mutated bytes are read or rejected, whatever they say", "[one_thread]") {
  OneRank here;
  record_all(here.recorder);
  const std::string part = RankPart::pack(here.recorder, {});
  RandomStream random(5, "rank part");
  for (int left = random_cases(20'000); left > 0; --left) {
    std::string some = part;
    for (uint64_t change = 1 + random.below(3); change > 0; --change)
      some[random.below(some.size())] = static_cast<char>(random.next());
    OneRank other;
    try {
      RankPart::unpack(some, other.recorder, 0);
    } catch (const InputError&) {
    }
  }
}
