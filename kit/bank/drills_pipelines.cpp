// Pipelines: who waits, what lives at once, what is sent.
#include <cmath>

#include "drill.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/clock.h"
#include "ringside/pipeline/schedule.h"

namespace ringside::inline kit {
namespace {

double bubble_percent(const PipelineSchedule& schedule) {
  return 100 * time_of(schedule, equal_costs(schedule.chunks)).bubble_of_ideal();
}

DrawnQuestion ask_bubble(Draw& draw) {
  const int p = draw.pick({4, 8});
  const int64_t m = draw.pick({8, 16, 32});
  const double right = bubble_percent(one_f_one_b(p, m));
  return ask_number(
      fmt::format("1F1B over {} stages, {} micro-batches of equal cost. How large is the "
                  "bubble, in % of the ideal time?",
                  p, m),
      "%", right,
      {{"p stages wait", 100.0 * p / double(m), "The first stage fills the pipeline: p-1 are left."},
       {"of the whole time", 100 * time_of(one_f_one_b(p, m), equal_costs(1)).bubble_of_whole(),
        "That is (p-1)/(m+p-1)."},
       {"twice", 2 * right, "Forward and backward wait together: p-1 units of both."}},
      "(p-1)/m");
}

DrawnQuestion ask_interleaved(Draw& draw) {
  const int p = draw.pick({4, 8}), v = draw.pick({2, 4});
  const int64_t m = draw.pick({8, 16, 32});
  const double right = bubble_percent(interleaved(p, m, v));
  return ask_number(fmt::format("Interleaved 1F1B, {} stages with {} chunks each, {} micro-batches. How "
                                "large is the bubble, in % of the ideal time?",
                                p, v, m),
                    "%", right,
                    {{"as 1F1B", right * v, "A chunk takes 1/v of the time, so filling does."},
                     {"worse by v", right * v * v, "Chunks shorten the bubble."},
                     {"p stages wait", 100.0 * p / double(m * v), "p-1 of them."}},
                    "(p-1)/(v m)");
}

DrawnQuestion ask_live(Draw& draw) {
  const int p = draw.pick({4, 6, 8}), r = int(draw.between(1, p - 2));
  const int64_t m = draw.pick({16, 32});
  const auto right = double(live_activations(one_f_one_b(p, m)).peak[size_t(r)]);
  return ask_number(
      fmt::format("1F1B, {} stages, {} micro-batches. Of how many micro-batches do activations live at once "
                  "on stage {} (counted from 0)?",
                  p, m, r),
      "micro-batches", right,
      {{"all of them", double(m), "That is GPipe."},
       {"counted from the other end", r + 1.0, "The first stage waits longest for its first backward."},
       {"as the first stage", double(p), "Stage r keeps p - r."}},
      "p - r");
}

DrawnQuestion ask_gpipe_live(Draw& draw) {
  const int p = draw.pick({2, 4, 8});
  const int64_t m = draw.pick({12, 16, 32});
  return ask_number(fmt::format("GPipe, {} stages, {} micro-batches, nothing recomputed. Of how many "
                                "micro-batches do activations live at once on the first stage?",
                                p, m),
                    "micro-batches", double(live_activations(gpipe(p, m)).peak[0]),
                    {{"as 1F1B", double(p), "1F1B begins backwards early; GPipe does not."},
                     {"one", 1, "Every forward comes before the first backward."},
                     {"of all stages", double(p * m), "Each stage keeps its own m."}},
                    "m: all forwards come first");
}

DrawnQuestion ask_nth_pass(Draw& draw) {
  const int p = draw.pick({3, 4}), r = int(draw.between(0, p - 1));
  const StepSchedule passes = one_f_one_b(p, 8).of_stage[size_t(r)];
  const auto k = size_t(draw.between(p - r, p - r + 3));
  const auto named = [&](const StepPass& pass) { return text_of(pass, 1); };
  const StepPass& pass = passes[k];
  StepPass other = pass;
  other.kind = pass.kind == StepPass::kForward ? StepPass::kBackward : StepPass::kForward;
  StepPass next = pass;
  ++next.micro;
  return ask_text(
      fmt::format("1F1B over {} stages, 8 micro-batches. Stage {} (from 0) has done {} passes. What does it "
                  "do next? (F3, B0, ...)",
                  p, r, k),
      named(pass),
      {{"the other direction", {named(other)}, "Behind the warm-up F and B take turns, a backward first."},
       {"one micro-batch ahead", {named(next)}, "Micro-batches come in order."},
       {"as GPipe", {"F" + std::to_string(k)}, "1F1B stops the forwards after p - r."}},
      fmt::format("stage r warms up with p - r - 1 forwards, then F and B in turns: {}",
                  text_of(one_f_one_b(p, 3))));
}

DrawnQuestion ask_micro_batches(Draw& draw) {
  const int p = draw.pick({4, 8, 16}), percent = draw.pick({5, 10, 20, 25});
  const double right = (p - 1) * 100.0 / percent;
  return ask_number(fmt::format("1F1B over {} stages. How many micro-batches does it take at least for a "
                                "bubble of at most {} % of the ideal time?",
                                p, percent),
                    "micro-batches", std::ceil(right),
                    {{"of p stages", std::ceil(p * 100.0 / percent), "p-1 stages wait."},
                     {"a few a stage", 4.0 * p, "A rule of thumb: here the share is given."},
                     {"of the whole time", std::ceil(right - p + 1), "(p-1)/(m+p-1) is another share."}},
                    "m ≥ (p-1) / share");
}

DrawnQuestion ask_message(Draw& draw) {
  const int64_t b = draw.pick({1, 2, 4}), s = draw.pick({2048, 4096}), h = draw.pick({4096, 8192, 12288});
  const double mb = double(b * s * h) * 2 / 1e6;
  return ask_number(
      fmt::format("A pipeline stage sends its output to the next: b = {}, s = {}, h = {}, "
                  "bf16. How many MB is a message?",
                  b, s, h),
      "MB", mb,
      {{"in fp32", 2 * mb, "bf16 has 2 bytes."}, {"one token", mb / double(s), "All positions go on."}},
      "b · s · h · 2 bytes");
}

DrawnQuestion ask_hang(Draw& draw) {
  const bool crossed = draw.pick({true, false}), blocking = draw.pick({true, false});
  const std::string first = "F0 F1 B0 B1", second = crossed ? "F0 F1 B1 B0" : "F0 B0 F1 B1";
  const auto hang = find_hang(schedule_of(first + " / " + second, 2, 2, 1),
                              blocking ? SendMode::kBlocking : SendMode::kAsync);
  const std::string fine = "no stage hangs", both = "both stages hang", one = "the second alone";
  const std::string right = hang ? both : fine;
  return ask_choice(
      draw,
      fmt::format("Two stages run {} / {}, with {} sends (a blocking one waits until the receiver has "
                  "posted). What happens?",
                  first, second, blocking ? "blocking" : "asynchronous"),
      right,
      {{hang ? "nothing waits for ever" : "sees a cycle that is none",
        {hang ? fine : both},
        "Draw who waits for whom: only a cycle hangs."},
       {"one stage alone", {one}, "Whoever waits has a partner that is waited for."}},
      hang ? hang->sentence : "no cycle of waits: each message is received by a stage that comes to it");
}

}  // namespace

std::vector<Drill> drills_of_pipelines() {
  const std::string t = "pipeline", lesson = "megatron", paper = "arXiv:2104.04473",
                    plan = "ringside plan schedule 1f1b p=4 m=8";
  return {
      {"bubble", t, 1, lesson, paper, plan, ask_bubble,
       "The last stage gets its first input after p-1 forwards, and the first stage its last gradient p-1 "
       "backwards later. Work is m of each.",
       "1F1B and GPipe have the same bubble: 1F1B saves memory, not time."},
      {"interleaved", t, 2, lesson, paper, "ringside plan schedule interleaved p=4 m=8 v=2", ask_interleaved,
       "With v chunks a stage, filling takes passes of 1/v of the time.",
       "It sends v times as many messages."},
      {"live", t, 2, lesson, paper, plan, ask_live,
       "Stage r runs p - r - 1 forwards ahead, then one forward and one backward in turns. So p - r "
       "micro-batches live at once.",
       "The first stage has the most activations; recomputing more layers there evens it out."},
      {"gpipe_live", t, 1, lesson, "arXiv:1811.06965", "ringside plan schedule gpipe p=4 m=8", ask_gpipe_live,
       "All m forwards run before the first backward, so all m live.",
       "GPipe recomputes: then only inputs live."},
      {"nth_pass", t, 3, lesson, paper, plan, ask_nth_pass,
       "Write the list of the stage: p - r - 1 forwards, then F B F B, then the backwards that are left.",
       "The last stage has no warm-up: F0 B0 F1 B1."},
      {"micro_batches", t, 2, lesson, paper, plan, ask_micro_batches,
       "The bubble is (p-1)/m of the ideal time, so m is (p-1) divided by the share.",
       "m is bounded by the global batch: m = B / (dp b)."},
      {"message", t, 1, lesson, paper, "ringside run megatron", ask_message,
       "A stage sends the hidden state of a micro-batch: b s h values.",
       "With tensor parallelism each GPU sends 1/t and the receivers gather."},
      {"hang", t, 3, lesson, "ours", "ringside plan schedule \"F0 F1 B0 B1 / F0 B0 F1 B1\" p=2 m=2", ask_hang,
       "Draw an arrow from each waiting stage to the one that it waits for. A schedule hangs where arrows "
       "make a cycle.",
       "Post receives early, or batch a send with its receive: then blocking sends cannot close a cycle."},
  };
}

}  // namespace ringside::inline kit
