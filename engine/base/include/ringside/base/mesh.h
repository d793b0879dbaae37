// A mesh: N ranks at the points of a grid with named dimensions. Ranks that differ in one dimension alone
// form a group of it; a set of dimensions has groups as well.
//
//   mesh=dp2,tp3    tp 0  1  2      tp groups {0,1,2} {3,4,5}
//            dp 0      0  1  2      dp groups {0,3} {1,4} {2,5}
//            dp 1      3  4  5      dp and tp: {0,1,2,3,4,5}
//
// The dimension that is named last changes fastest from rank to rank. Megatron's order is pp, dp, cp, tp:
// ranks of a tp group are neighbours, and so share a node (Narayanan et al. 2021, arXiv:2104.04473, section
// 3).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline base {

inline constexpr int kMostMeshRanks = 1 << 20;

struct MeshDimension {
  std::string name;  // small letters
  int size = 1;      // 1 or more
};

class Mesh {
 public:
  // UsageError for a name that is empty, given twice or not of small letters, and for sizes out of range.
  explicit Mesh(std::vector<MeshDimension> slowest_first);
  // "dp2,tp3". UsageError where the product is not `ranks`: it says which sizes would fit.
  static Mesh parse(std::string_view text, int ranks);

  int ranks() const { return ranks_; }
  const std::vector<MeshDimension>& dimensions() const { return dimensions_; }
  bool has(std::string_view dimension) const;
  int size(std::string_view dimension) const;                  // 1 where the mesh does not have it
  int coordinate(int rank, std::string_view dimension) const;  // 0 where the mesh does not have it
  // The ranks that differ from this one in these dimensions alone, itself among them. They ascend. How many
  // they are, and this rank's index among them, takes no list.
  std::vector<int> group(int rank, const std::vector<std::string_view>& dimensions) const;
  int size(const std::vector<std::string_view>& dimensions) const;
  int place(int rank, const std::vector<std::string_view>& dimensions) const;
  std::string text() const;  // "dp2,tp3"

 private:
  std::vector<MeshDimension> dimensions_;
  int ranks_ = 1;
};

// A line per rank: its coordinates, and its group of each dimension.
std::string table_of(const Mesh& mesh);

}  // namespace ringside::inline base
