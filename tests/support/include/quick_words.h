// Words of a scenario that make a lesson's run a matter of a second or two; most lessons are one as they are.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ringside::testing {

inline std::vector<std::string> quick_words(const std::string& lesson) {
  static const std::map<std::string, std::vector<std::string>> kWords = {
      {"bucket_size", {"rounds=1", "link=nvlink"}},
      {"context", {"tokens=1024", "hidden=64", "steps=10", "further=2"}},
      {"decoder_only", {"steps=20", "bytes=32"}},
      {"dispatch", {"elements=1000", "rounds=6"}},
      {"drift", {"steps=10"}},
      {"example", {"ranks=3", "steps=8", "elements=3Ki"}},
      {"grouping", {"steps=20"}},
      {"list_array", {"elements=256Ki", "rounds=3"}},
      {"megatron",
       {"ranks=2", "mesh=dp2,tp2", "layers=4", "accumulate=4", "tokens=8", "hidden=48", "batch=2"}},
      {"norms", {"ranks=2", "steps=3", "layers=4"}},
      {"nccl_timeout", {"act=5", "case=5", "ranks=3", "deadline=0.3"}},
      {"optimizers", {"steps=20", "training=10", "hessian=2Mi"}},
      {"parameter_server", {"workers=4", "servers=3", "steps=12"}},
      {"recompute", {"ranks=2", "layers=2", "tokens=8", "batch=1", "hidden=32"}},
      {"resume", {"steps=40", "cut=25", "seeds=3"}},
      {"rounding", {"ranks=16", "elements=1Ki"}},
      {"stages", {"steps=6", "tuning=6", "preferring=4", "rollouts=2"}},
      {"step_time", {"rounds=1", "link=nvlink", "batch=4"}},
      {"zero",
       {"hidden=8", "layers=1", "tokens=8", "batch=8", "steps=4", "lr=0.003", "data=synthetic",
        "proof=off"}}};
  const auto found = kWords.find(lesson);
  return found == kWords.end() ? std::vector<std::string>() : found->second;
}

}  // namespace ringside::testing
