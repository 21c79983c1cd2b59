#include "bench/suite/workloads/threads/scheduled_client.hpp"

#include <utility>
#include <vector>

#include "bench/suite/workloads/trial/cores.hpp"

namespace loopbench::bench::workloads::detail {

bool scheduled_client::start(std::uint16_t port, offered_load offered, std::function<void()> finish) {
    trial& t = records_.t;
    const std::vector<int> cores = usable_cores();
    if (cores.size() <= threads_) {
        t.unsupported(
            "the client of this workload needs a core that the contender does not use, but this process "
            "has only as many cores as the contender has threads");
        return false;
    }
    finish_ = std::move(finish);
    return generator_.start({.port = port,
                             .connections = connections,
                             .requests = t.operations(),
                             .offered = offered,
                             .capacity_s = t.small() ? 0.05 : 0.3,
                             .core = cores[threads_]},
                            t, [this] {
                                has_generator_ended_.store(true);
                                finish_at_end();
                            });
}

void scheduled_client::connection_opened() {
    // The generator opens its connections before it sends the first request.
    if (opened_.fetch_add(1) == connections) records_.begin();
}

void scheduled_client::connection_ended() {
    if (ended_.fetch_add(1) + 1 == 2 * connections) {
        records_.end();
        records_.keep_shares();
    }
    finish_at_end();
}

void scheduled_client::finish_at_end() {
    if (has_generator_ended_.load() && ended_.load() == opened_.load()) finish_();
}

void scheduled_client::prove() {
    trial& t = records_.t;
    generator_.prove(t, t.operations());
    if (t.unsupported()) return;  // the generator has not opened its connections a second time
    t.prove("number of connections that were served", 2 * connections, ended_);
    records_.report();
}

}  // namespace loopbench::bench::workloads::detail
