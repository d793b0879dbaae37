#include "ringside/base/mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline base {
namespace {

bool is_small(char letter) { return letter >= 'a' && letter <= 'z'; }

std::string text_of(const std::vector<MeshDimension>& dimensions) {
  std::string text;
  for (const MeshDimension& one : dimensions)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", one.name, one.size);
  return text;
}

[[noreturn]] void reject(const std::string& mesh, const std::string& why) {
  throw UsageError("mesh={}: {}", as_typed(mesh), why);
}

MeshDimension read_dimension(const std::string& mesh, std::string_view word) {
  const auto letters = size_t(std::ranges::find_if_not(word, is_small) - word.begin());
  const auto size = read_number<int>(word.substr(letters));
  if (letters == 0 || !size) reject(mesh, "names with sizes are expected, such as dp2,tp2");
  return {std::string(word.substr(0, letters)), *size};
}

// One size changed, so that the product is `ranks`: "dp4,tp1 or dp2,tp2".
std::string what_fits(const std::vector<MeshDimension>& dimensions, int ranks) {
  std::vector<std::string> fits;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    std::vector<MeshDimension> changed = dimensions;
    changed[i].size = 1;
    const int others = Mesh(changed).ranks();
    changed[i].size = ranks / others;
    if (ranks % others == 0) fits.push_back(text_of(changed));
  }
  if (fits.empty()) fits.push_back(dimensions.front().name + std::to_string(ranks));
  return fmt::format("{}", fmt::join(fits, " or "));
}

}  // namespace

Mesh::Mesh(std::vector<MeshDimension> slowest_first) : dimensions_(std::move(slowest_first)) {
  const std::string text = text_of(dimensions_);
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    const auto& [name, size] = dimensions_[i];
    if (name.empty() || !std::ranges::all_of(name, is_small)) reject(text, "a name has small letters alone");
    for (size_t earlier = 0; earlier < i; ++earlier)
      if (dimensions_[earlier].name == name) reject(text, name + " is there twice");
    if (size < 1 || size > kMostMeshRanks / ranks_)
      reject(text, fmt::format("sizes are 1 and more, and at most {} ranks in all", kMostMeshRanks));
    ranks_ *= size;
  }
}

Mesh Mesh::parse(std::string_view text, int ranks) {
  const std::string typed(text);
  std::vector<MeshDimension> dimensions;
  for (const std::string_view word : split(text, ",")) dimensions.push_back(read_dimension(typed, word));
  Mesh mesh(dimensions);
  if (mesh.ranks() != ranks)
    reject(typed, fmt::format("{} ranks, and there are {}; {} would fit", mesh.ranks(), ranks,
                              what_fits(dimensions, ranks)));
  return mesh;
}

int Mesh::size(std::string_view dimension) const {
  const auto found = std::ranges::find(dimensions_, dimension, &MeshDimension::name);
  return found == dimensions_.end() ? 1 : found->size;
}

bool Mesh::has(std::string_view dimension) const {
  return std::ranges::count(dimensions_, dimension, &MeshDimension::name) > 0;
}

int Mesh::coordinate(int rank, std::string_view dimension) const {
  RINGSIDE_CHECK(rank >= 0 && rank < ranks_, "rank " << rank << " is not of mesh " << text());
  int rest = rank;
  for (auto one = dimensions_.rbegin(); one != dimensions_.rend(); ++one) {
    if (one->name == dimension) return rest % one->size;
    rest /= one->size;
  }
  return 0;
}

std::vector<int> Mesh::group(int rank, const std::vector<std::string_view>& dimensions) const {
  const auto is_equal = [&](int other, const MeshDimension& one) {
    return std::ranges::count(dimensions, one.name) > 0 ||
           coordinate(rank, one.name) == coordinate(other, one.name);
  };
  std::vector<int> group;
  for (int other = 0; other < ranks_; ++other)
    if (std::ranges::all_of(dimensions_, [&](const MeshDimension& one) { return is_equal(other, one); }))
      group.push_back(other);
  return group;
}

int Mesh::size(const std::vector<std::string_view>& dimensions) const {
  int size = 1;
  for (const std::string_view one : dimensions) size *= this->size(one);
  return size;
}

int Mesh::place(int rank, const std::vector<std::string_view>& dimensions) const {
  int place = 0;
  for (const MeshDimension& one : dimensions_)
    if (std::ranges::count(dimensions, one.name) > 0) place = place * one.size + coordinate(rank, one.name);
  return place;
}

std::string Mesh::text() const { return text_of(dimensions_); }

std::string table_of(const Mesh& mesh) {
  std::string table;
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    table += fmt::format("rank {:<3}", rank);
    for (const MeshDimension& one : mesh.dimensions())
      table += fmt::format("  {} {} of {{{}}}", one.name, mesh.coordinate(rank, one.name),
                           fmt::join(mesh.group(rank, {one.name}), ","));
    table += '\n';
  }
  return table;
}

}  // namespace ringside::inline base
