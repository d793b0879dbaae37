// The parameters and buffers of a model as its layers declare them: by name, with shapes, in the order of the
// forward pass. Torch-free: the planner reads the shapes, nn finds each tensor by its layer's handle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::inline planner {

int64_t elements_in(const std::vector<int64_t>& shape);

// A cut of a parameter over one dimension of the mesh (base/mesh.h). The place with coordinate c of n has
// chunk c of each section; where nothing cuts a parameter over a dimension, all places of it hold equal
// values. Data parallelism is not said here: a Strategy shares whatever it is given.
struct Cut {
  int dim = 0;                      // of the tensor
  std::string over{};               // "tp"
  std::vector<int64_t> sections{};  // one behind the other along dim, each cut by itself: a fused q, k, v has
                                    // three. None: the dimension is one section
  int64_t grain = 1;                // elements that stay together: the rows of a head
  bool pads = false;                // every place has as many elements, the last ones none of the tensor's
  // The place with this coordinate has all of it, the others nothing: a stage of a pipeline. -1: as above.
  int at = -1;
};

// One parameter tensor. Units are what ZeRO-3 gathers and drops together:
// "embedding", "layer 0" ... "layer L-1", "head", in the order of the forward pass.
struct ParameterShape {
  std::string name;            // Hugging Face's: "model.layers.0.mlp.up_proj.weight"
  int unit = 0;                // index in order of the forward pass
  std::vector<int64_t> shape;  // as declared, of the whole; a place's (planner/parts.h), of its part
  bool trainable = true;
  std::vector<Cut> cuts{};
  // Of parameters that lie in several places and are one: the name of the first, the same in all of them.
  // They begin with its values, and their gradients are added up before an update. "": none.
  std::string tied_to{};
  bool repeats() const { return !tied_to.empty() && tied_to != name; }  // counts nowhere
  int64_t numel() const;
};
int64_t count_parameters(const std::vector<ParameterShape>& shapes);
int64_t count_trainable(const std::vector<ParameterShape>& shapes);

// A tensor that is state of the model and is not trained, in fp32: a running mean, for one.
struct BufferShape {
  std::string name;
  std::vector<int64_t> shape;
  double initial = 0;
  bool rank_local = false;  // each rank has values of its own
  int64_t numel() const;
};

struct UnitRange {
  int begin = 0, end = 0;
};

// Handles: which of the model's parameters and buffers a layer has declared. -1: none, as the bias
// of a layer that has none.
struct Parameter {
  int index = -1;
};
struct Buffer {
  int index = -1;
};

class Declaration {
 public:
  // What is declared from here on belongs to a new unit, and its names begin with `prefix`. A unit reads its
  // own parameters alone (nn/parameters.h: UnitHooks); what two of them read lies in one, or is tied.
  void begin_unit(const std::string& unit, const std::string& prefix);
  // Both: InvariantError before the first unit, or where the name is taken.
  Parameter add(const std::string& name, std::vector<int64_t> shape, bool trainable = true,
                std::vector<Cut> cuts = {});
  Buffer add_buffer(const std::string& name, std::vector<int64_t> shape, double initial,
                    bool rank_local = false);
  void tie(Parameter first, Parameter second);
  // Every unit's parameters lie at one coordinate of that dimension alone: (units), of the whole declaration.
  void place_units(const std::string& over, const std::vector<int>& coordinates);
  // A norm of so many features adds up its statistics over the ranks (norms/set_norm.h has the sums).
  void share_statistics(int64_t width) { shared_statistics_.push_back(width); }

  const std::vector<ParameterShape>& shapes() const { return shapes_; }
  const std::vector<BufferShape>& buffers() const { return buffers_; }
  const std::vector<int64_t>& shared_statistics() const { return shared_statistics_; }  // widths
  const std::vector<std::string>& unit_names() const { return unit_names_; }

 private:
  std::string whole_name(const std::string& name) const;  // with the unit's prefix

  std::string prefix_;
  std::vector<ParameterShape> shapes_;
  std::vector<BufferShape> buffers_;
  std::vector<int64_t> shared_statistics_;
  std::vector<std::string> unit_names_;
};

}  // namespace ringside::inline planner
