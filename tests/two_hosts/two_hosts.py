"""Runs serve/open_loop with its server and its client on two hosts. The hosts are network namespaces, connected by a
veth pair.

    two_hosts.py test BIN            runs the workload and checks the report's metrics of the path; judges no times
    two_hosts.py agree BIN PAIRS     prints a table with the latencies of the generator and of independent_client
"""

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

SKIPPED = 77
WORKLOAD = "serve/open_loop/rate:20000"
HERE, THERE = "10.203.77.1", "10.203.77.2"


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def two_hosts():
    names = [f"loopbench-{os.getpid()}-{which}" for which in ("server", "client")]
    try:
        for name in names:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", names[0], "link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", names[1])
        for name, address in zip(names, (HERE, THERE)):
            ip("-n", name, "address", "add", f"{address}/30", "dev", "veth0")
            ip("-n", name, "link", "set", "veth0", "up")
        yield [["ip", "netns", "exec", name] for name in names]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def run(bin_folder, out, server, client, blocks, environment=None):
    command = [*server, f"{bin_folder}/loopbench", "run", "--workload", WORKLOAD, "--contender", "asio-epoll",
               "--contender", "loop-epoll", "--blocks", str(blocks), "--serve-on", HERE, "--generator-on",
               " ".join(client), "-o", out]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | (environment or {}), check=False)
    with open(f"{out}/report.json", encoding="utf-8") as file:
        return done, json.load(file)


def values(report, metric):
    return {each["contender"]: each for each in report["results"] if each["metric"] == metric}


def test(bin_folder):
    with two_hosts() as (server, client), tempfile.TemporaryDirectory() as folder:
        done, report = run(bin_folder, f"{folder}/out", server, client, 2)
        assert report["complete"], done.stderr
        assert report["plan"]["serve_on"] == HERE and report["plan"]["generator_on"] == " ".join(client)
        for cell in values(report, "time").values():
            # On a busy machine, a trial can be invalid, because a process did not keep up with the rate. The properties
            # of the network path are measured even then.
            assert cell["status"] == "ok" or "invalid" in cell["reason"] or "at this load" in cell["reason"], cell
        for metric in ("path_rtt_p50", "path_rtt_p99", "path_rate"):
            found = values(report, metric)
            assert all((each["median"] or 0) > 0 for each in found.values()), (metric, found)
        assert any(each["code"] == "client_elsewhere" for each in report["warnings"]), report["warnings"]
        done, report = run(bin_folder, f"{folder}/none", server, ["ip", "netns", "exec", "there-is-none"], 1)
        assert done.returncode == 1, done
        reasons = [each["reason"] for each in values(report, "time").values()]
        assert all("there-is-none" in reason for reason in reasons), reasons


def interval(values):
    """Returns a 95 % confidence interval of the median. Its ends are infinite if there are too few values."""
    ordered, below, found = sorted(values), 0, (-math.inf, math.inf)
    for low in range(len(ordered) // 2):
        below += math.comb(len(ordered), low) / 2 ** len(ordered)
        if below > 0.025:
            break
        found = ordered[low], ordered[-1 - low]
    return found


def agree(bin_folder, wanted):
    """Runs the clients in pairs of short runs, in alternating order, so that disturbances of the machine affect both
    clients equally.
    """
    clients = {"generator": {}, "independent": {"LOOPBENCH_GENERATOR": f"{bin_folder}/independent_client"}}
    pairs = {}
    with two_hosts() as (server, client), tempfile.TemporaryDirectory() as folder:
        for number in range(wanted):
            found = {}
            for name in sorted(clients, reverse=number % 2 == 1):
                # Both hosts are on this machine and have the same cores. The contender uses core 0, so the client gets
                # core 1.
                _, report = run(bin_folder, f"{folder}/{number}-{name}", server, [*client, "taskset", "-c", "1"], 1,
                                clients[name])
                # Only the generator repeats a trial in which it was late for more than a fifth of the requests. To
                # compare equal trials, such trials are left out for both clients.
                late = {who for who, each in values(report, "left_out").items() if (each["median"] or 0) > 0.2}
                for metric in ("latency_p50", "latency_p90", "latency_p99"):
                    for who, each in values(report, metric).items():
                        if each["median"] and who not in late:
                            found.setdefault((who, metric), {})[name] = each["median"] / 1e3
            for key, pair in found.items():
                if len(pair) == 2:
                    pairs.setdefault(key, []).append(pair)
            print(f"pair {number + 1} of {wanted}", file=sys.stderr)
    print(f"{WORKLOAD} over a veth pair, in microseconds: medians of pairs of blocks [least, most], and the median\n"
          "excess of the generator over the independent client in the same pair [95 % interval]")
    for (who, metric), found in sorted(pairs.items()):
        words = [f"{who:10} {metric} of {len(found)} of {wanted} pairs "]
        for name in clients:
            each = [pair[name] for pair in found]
            words.append(f"{name} {statistics.median(each):6.1f} [{min(each):.1f}, {max(each):.1f}] ")
        more = [100 * (pair["generator"] / pair["independent"] - 1) for pair in found]
        low, high = interval(more)
        words.append(f"{statistics.median(more):+.1f} % [{low:+.1f}, {high:+.1f}]")
        print(" ".join(words))


def main(command, bin_folder, *more):
    try:
        with two_hosts():
            pass
    except (subprocess.CalledProcessError, FileNotFoundError) as refused:
        print(f"cannot create network namespaces with a veth pair: {getattr(refused, 'stderr', refused)}")
        return SKIPPED
    test(bin_folder) if command == "test" else agree(bin_folder, int(more[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
