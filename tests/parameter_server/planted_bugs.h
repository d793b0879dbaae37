// Servers with a bug each, made from outside of a right one: what comes in or goes out is changed on the way.
#pragma once

#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::testing {

std::unique_ptr<ps::Server> acks_before_the_copy(Endpoint& endpoint, const ps::Cluster& cluster);
std::unique_ptr<ps::Server> applies_duplicates(Endpoint& endpoint, const ps::Cluster& cluster);
std::unique_ptr<ps::Server> forgets_on_a_move(Endpoint& endpoint, const ps::Cluster& cluster);
std::unique_ptr<ps::Server> serves_without_a_lease(Endpoint& endpoint, const ps::Cluster& cluster);

}  // namespace ringside::testing
