// Code: find the bug in eight lines, what does this print, the order of calls. Listings are drawn from parts,
// so that the line with the bug moves.
#include <fmt/ranges.h>
#include <algorithm>

#include "drill.h"

namespace ringside::inline kit {
namespace {

// One bug: the line as it should be, as it stands there, and what a learner may take for a bug instead.
struct Planted {
  size_t line;  // of the loop, from 0
  const char *bad, *why;
};
constexpr const char* kLoop[] = {"for epoch in range(epochs):",
                                 "    sampler.set_epoch(epoch)",
                                 "    for batch in loader:",
                                 "        optimizer.zero_grad()",
                                 "        loss = model(batch).loss",
                                 "        loss.backward()",
                                 "        clip_grad_norm_(model.parameters(), 1.0)",
                                 "        optimizer.step()",
                                 "    dist.all_reduce(val_loss)",
                                 "    if rank == 0: print(val_loss / world)"};

Words plain_loop() { return {std::begin(kLoop), std::end(kLoop)}; }
Words loop_with_scaler() {  // fp16
  Words lines = plain_loop();
  lines[5] = "        scaler.scale(loss).backward()";
  lines[6] = "        scaler.unscale_(optimizer); clip_grad_norm_(model.parameters(), 1.0)";
  lines[7] = "        scaler.step(optimizer); scaler.update()";
  return lines;
}

DrawnQuestion ask_planted(Draw& draw, const Planted& bug, const std::string& symptom,
                          std::vector<WrongWords> wrong, Words lines = plain_loop()) {
  lines[bug.line] = bug.bad;
  const auto blanks = size_t(draw.between(0, 3));  // imports above it, so that the number moves
  const Words head =
      draw.shuffled({"import torch", "import torch.distributed as dist", "model = DDP(model)"});
  lines.insert(lines.begin(), head.begin(), head.begin() + std::ptrdiff_t(blanks));
  for (WrongWords& one : wrong) one.answer = {std::to_string(std::stoul(one.answer[0]) + blanks)};
  return ask_line(symptom + " Which line is the cause?", lines, bug.line + blanks + 1, std::move(wrong),
                  bug.why);
}

DrawnQuestion ask_guarded_collective(Draw& draw) {
  return ask_planted(draw,
                     {8, "    if rank == 0: dist.all_reduce(val_loss)",
                      "rank 0 alone calls the collective: it waits for ranks that never come"},
                     "The job hangs after the first epoch, rank 0 in an all-reduce.",
                     {{"the print", {"10"}, "It talks to no other rank."},
                      {"the backward", {"6"}, "Every rank calls it: its collectives match."}});
}
DrawnQuestion ask_missing_epoch(Draw& draw) {
  return ask_planted(
      draw,
      {1, "    sampler.set_epoch(0)", "the sampler shuffles by its epoch: with 0 every epoch has one order"},
      "Every epoch sees its samples in the same order.",
      {{"the loader", {"3"}, "It takes the sampler's order."},
       {"the seed of the loop", {"1"}, "Epochs are counted; nobody tells the sampler."}});
}
DrawnQuestion ask_clip_early(Draw& draw) {
  return ask_planted(
      draw,
      {6, "        clip_grad_norm_(model.parameters(), 1.0); scaler.unscale_(optimizer)",
       "it clips gradients that still have the scale, and divides what is left by the scale"},
      "fp16 with a scaler, plain SGD. The loss hardly falls; without the clip it does.",
      {{"the backward", {"6"}, "The scaler scales the loss, so that small gradients are not 0."},
       {"the step", {"8"}, "It does not unscale again what unscale_ has unscaled."}},
      loop_with_scaler());
}
DrawnQuestion ask_zero_grad(Draw& draw) {
  return ask_planted(draw,
                     {3, "        optimizer.zero_grad() if epoch == 0 else None",
                      "from the second epoch on gradients add up over all batches"},
                     "The first epoch trains well. From the second on the gradient norm grows without end.",
                     {{"clipping", {"7"}, "It hides the growth; it does not make it."},
                      {"the step", {"8"}, "It uses what gradients are there."}});
}
DrawnQuestion ask_local_loss(Draw& draw) {
  return ask_planted(
      draw,
      {9, "    if val_loss < best: dist.barrier(); save(model)",
       "val_loss is the same on all ranks only where it was reduced on all of them and in one order; `best` "
       "is not: ranks may take different branches"},
      "Rarely a job hangs in a barrier. `best` is each rank's own, updated before the all-reduce.",
      {{"the all-reduce", {"9"}, "All ranks call it."},
       {"the loader", {"3"}, "Its batches are equally many."}});
}

DrawnQuestion ask_closures(Draw& draw) {
  const int64_t n = draw.between(3, 5), k = draw.between(2, 4);
  std::vector<int64_t> late(static_cast<size_t>(n), k * (n - 1)), early;
  for (int64_t i = 0; i < n; ++i) early.push_back(k * i);
  const auto text = [](const auto& list) { return fmt::format("[{}]", fmt::join(list, ", ")); };
  return ask_text(
      fmt::format("What does this print?  fs = [lambda: {} * i for i in range({})]; print([f() for f in fs])",
                  k, n),
      text(late),
      {{"bound early", {text(early)}, "i is looked up when f is called; then it is the last one."},
       {"one behind the end", {text(std::vector<int64_t>(size_t(n), k * n))}, "range ends before n."}},
      "i is looked up at the call");
}

DrawnQuestion ask_aliased_rows(Draw& draw) {
  const int64_t n = draw.between(2, 4), v = draw.between(5, 9);
  const std::string touched = fmt::format("[{}, 0]", v), fresh = "[0, 0]";
  std::vector<std::string> all(static_cast<size_t>(n), touched), one(size_t(n), fresh);
  one[0] = touched;
  const auto text = [](const auto& list) { return fmt::format("[{}]", fmt::join(list, ", ")); };
  return ask_text(fmt::format("What does this print?  a = [[0, 0]] * {}; a[0][0] = {}; print(a)", n, v),
                  text(all),
                  {{"rows of their own", {text(one)}, "* copies the reference: there is one inner list."},
                   {"an error", {"IndexError"}, "Lists can be changed in place."}},
                  "n references to one list");
}

DrawnQuestion ask_generator(Draw& draw) {
  const int64_t a = draw.between(2, 9), b = a + draw.between(1, 9), r = b + draw.between(1, 9);
  return ask_text(
      fmt::format("What does this print?  def g():  yield {}; yield {}; return {}   then  print(list(g()))",
                  a, b, r),
      fmt::format("[{}, {}]", a, b),
      {{"the return is yielded", {fmt::format("[{}, {}, {}]", a, b, r)}, "It becomes StopIteration's value."},
       {"the return alone", {fmt::format("{}", r)}, "Calling g() gives a generator."},
       {"one value", {fmt::format("[{}]", a)}, "list takes all."}},
      "a generator's return value goes into StopIteration");
}

DrawnQuestion ask_shards(Draw& draw) {
  const int64_t n = draw.between(3, 5), k = draw.between(7, 19);
  if (k % n == 0) return ask_shards(draw);
  std::vector<int64_t> right, floor, ceil;
  for (int64_t i = 0; i < n; ++i) {
    right.push_back((i + 1) * k / n - i * k / n);
    floor.push_back(k / n + (i < k % n));
    ceil.push_back(std::max<int64_t>(0, std::min((k + n - 1) / n, k - i * ((k + n - 1) / n))));
  }
  const auto text = [](const auto& list) { return fmt::format("[{}]", fmt::join(list, ", ")); };
  return ask_text(
      fmt::format(
          "n, k = {}, {}. What does this print?  print([(i + 1) * k // n - i * k // n for i in range(n)])", n,
          k),
      text(right),
      {{"the first take the rest", {text(floor)}, "That is numpy's array_split."},
       {"all of the ceiling", {text(ceil)}, "That is torch.chunk."}},
      "the remainder is spread evenly");
}

DrawnQuestion ask_default_list(Draw& draw) {
  const int64_t a = draw.between(1, 5), b = draw.between(6, 9);
  return ask_text(
      fmt::format(
          "What does this print?  def f(x, seen=[]): seen.append(x); return seen   then  f({}); print(f({}))",
          a, b),
      fmt::format("[{}, {}]", a, b),
      {{"a new list each time", {fmt::format("[{}]", b)}, "Defaults are made once, when def runs."},
       {"the first only", {fmt::format("[{}]", a)}, "The second call appends too."}},
      "one list, made when def runs");
}

DrawnQuestion ask_view(Draw& draw) {
  const int64_t n = draw.between(4, 8), v = draw.between(20, 99), at = draw.between(1, n - 2);
  Words kept, changed;
  for (int64_t i = 0; i < n; ++i) {
    kept.push_back(std::to_string(i));
    changed.push_back(std::to_string(i == at ? v : i));
  }
  const auto text = [](const Words& list) { return fmt::format("[{}]", fmt::join(list, ", ")); };
  return ask_text(
      fmt::format("What does this print?  x = torch.arange({}); y = x[{}:]; y[0] = {}; print(x.tolist())", n,
                  at, v),
      text(changed),
      {{"a slice copies", {text(kept)}, "A slice of a tensor is a view; a slice of a list copies."},
       {"an error", {"RuntimeError"}, "A view can be written to."}},
      "a slice of a tensor shares its memory");
}

DrawnQuestion ask_training_order(Draw& draw) {
  const Words right = {"zero_grad", "forward", "backward", "unscale", "clip", "step"};
  Words clip = right, zero = right, step = right;
  std::swap(clip[3], clip[4]);
  std::rotate(zero.begin(), zero.begin() + 1, zero.begin() + 3);
  std::swap(step[4], step[5]);
  return ask_order(
      draw, "A step of fp16 training with a loss scaler. In which order?", right,
      {{"clips scaled gradients", clip, "The norm would be that of gradients times the scale."},
       {"forgets the gradients", zero, "zero_grad behind the backward leaves nothing to step by."},
       {"clips behind the step", step, "The step has used the gradients."}},
      "gradients are made, unscaled, clipped, used");
}

DrawnQuestion ask_checkpoint_order(Draw& draw) {
  const Words right = {"write to a temporary name", "fsync the file", "rename", "fsync the folder"};
  Words early = right, late = right;
  std::swap(early[1], early[2]);
  std::rotate(late.begin(), late.begin() + 3, late.end());
  return ask_order(
      draw, "A checkpoint is published so that a crash leaves the old one or the new one. In which order?",
      right,
      {{"renamed before it is on the disk", early, "After a crash the name may show an empty file."},
       {"the folder first", late, "The new name is not there yet."}},
      "bytes, then the name, then the name's place");
}

}  // namespace

std::vector<Drill> drills_of_code() {
  const std::string t = "code", hang = "nccl_timeout";
  return {
      {"guarded_collective", t, 1, hang, "A", "ringside run nccl_timeout", ask_guarded_collective,
       "A collective must be called by every rank of its group. A guard by rank around one is a hang.",
       "Flight recorders show it: rank 0 in a number that nobody else has."},
      {"same_order", t, 1, "stages", "a common belief", "ringside run stages", ask_missing_epoch,
       "DistributedSampler draws its permutation from seed and epoch.",
       "Resuming needs the epoch as well, and how many batches are done."},
      {"clips_scaled", t, 3, "rounding", "arXiv:1710.03740", "ringside run rounding", ask_clip_early,
       "Order with a scaler: scaled backward, unscale, clip, step, update.",
       "Clipping scaled gradients clips nearly always: the threshold is off by the scale."},
      {"gradients_add_up", t, 1, "autograd", "a common belief", "ringside run autograd", ask_zero_grad,
       "backward adds to .grad; who does not clear it accumulates.",
       "That is what gradient accumulation uses on purpose, with no_sync and a divided loss."},
      {"branch_by_rank", t, 3, hang, "ours", "ringside run nccl_timeout", ask_local_loss,
       "A branch around a collective must depend on values that all ranks have with the same bits.",
       "Decide on one rank and broadcast the decision."},
      {"closures", t, 1, "generators", "a common belief", "ringside run generators", ask_closures,
       "A closure keeps the variable, not its value; behind the loop the variable has its last value.",
       "lambda i=i: binds early."},
      {"aliased_rows", t, 1, "list_array", "a common belief", "ringside run list_array", ask_aliased_rows,
       "[x] * n repeats the reference.", "[[0, 0] for _ in range(n)] makes n lists."},
      {"generator", t, 1, "generators", "B12", "ringside run generators", ask_generator,
       "return ends the iteration; its value rides on StopIteration, where `yield from` takes it.",
       "`x = yield from g()` is the value of the return."},
      {"shards", t, 2, "rounding", "ours", "ringside run zero ranks=3", ask_shards,
       "Whole-number division floors each border, so lengths differ by one and the long ones are spread.",
       "Three rules are about: this one, array_split, torch.chunk; ranks must use the same."},
      {"default_list", t, 1, "generators", "a common belief", "ringside run generators", ask_default_list,
       "The default is evaluated once and kept with the function.", "Use None, and make the list inside."},
      {"view", t, 1, "shared_memory", "a common belief", "ringside run shared_memory", ask_view,
       "Slicing a tensor gives a view with another offset on the same storage.",
       "Advanced indexing, x[[1, 2]], copies."},
      {"training_order", t, 1, "autograd", "a common belief", "ringside run autograd", ask_training_order,
       "Gradients are cleared, made, brought to their true size, clipped, used.",
       "Under ZeRO the clip needs an all-reduce of squares before it."},
      {"checkpoint_order", t, 2, "zero", "ours", "ringside run zero", ask_checkpoint_order,
       "rename is atomic for who reads, not for a crash: bytes must be on the disk before, the folder after.",
       "Several ranks: a manifest with hashes, published last."},
  };
}

}  // namespace ringside::inline kit
