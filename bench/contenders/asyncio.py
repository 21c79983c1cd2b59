#!/usr/bin/env python3
"""The contender asyncio: Python's event loop, doing the suite's sleep, gather and echo workloads.

It is in another language to keep the protocol honest: nothing between loopbench and a contender may be more than a
Google Benchmark program's flags and JSON. The workloads mean what bench/workloads/*.hpp say, with the same sizes, the
same timed sections and the same proofs; only the standard library is used. Started as asyncio-uvloop it runs on uvloop.
"""

import sys

# This folder last, not first: in it, "asyncio" would be this file.
sys.path.append(sys.path.pop(0))

import asyncio
import os
import platform
import socket
import struct
import time

from gbench import Contender, Unproved, Unsupported, Workload

ECHO_BYTES = 64
GATHER_CHILDREN = 1000
NAME = os.path.basename(sys.argv[0]).removesuffix(".py")

# As in bench/contenders/socket_options.cpp; the numbers are of options that Python has no name for.
SOCKET_OPTIONS = {name: (socket.IPPROTO_TCP, getattr(socket, name))
                  for name in ("TCP_NODELAY", "TCP_QUICKACK", "TCP_CORK", "TCP_NOTSENT_LOWAT")} | {
    name: (socket.SOL_SOCKET, getattr(socket, name, number))
    for name, number in {"SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_RCVLOWAT": 18, "SO_KEEPALIVE": 9, "SO_BUSY_POLL": 46,
                         "SO_PRIORITY": 12, "SO_ZEROCOPY": 60}.items()}


async def sleep_until(deadline_ns):
    """Never early: asyncio wakes timers that are due within its clock's resolution, and rounds to milliseconds."""
    while (left_ns := deadline_ns - time.monotonic_ns()) > 0:
        await asyncio.sleep(left_ns / 1e9)


async def sleep_and_record(trial, deadline_ns):
    await sleep_until(deadline_ns)
    trial.record_lateness(deadline_ns)


def sleep_pair_ns(trial):
    return (5_000_000, 7_000_000) if trial.smoke else (500_000_000, 700_000_000)


async def sleep_serial(trial):
    first, second = sleep_pair_ns(trial)
    trial.begin()
    await sleep_and_record(trial, time.monotonic_ns() + first)
    await sleep_and_record(trial, time.monotonic_ns() + second)
    trial.end()
    trial.prove("sleeps that ended", 2, len(trial.late_ns))
    trial.prove("the two sleeps took at least the sum of both", True, trial.cost[0] >= first + second)


async def sleep_concurrent(trial):
    started, under_way_at_first_end = 0, None

    async def one_of_two(deadline_ns):
        nonlocal started, under_way_at_first_end
        started += 1
        await sleep_and_record(trial, deadline_ns)
        if under_way_at_first_end is None:
            under_way_at_first_end = started

    trial.begin()
    start = time.monotonic_ns()
    await asyncio.gather(*(one_of_two(start + delay) for delay in sleep_pair_ns(trial)))
    trial.end()
    trial.prove("sleeps that ended", 2, len(trial.late_ns))
    trial.prove("sleeps under way when the first one ended", 2, under_way_at_first_end)


async def gather_yield(trial):
    started = ended = incomplete = 0

    async def child():
        nonlocal ended
        await asyncio.sleep(0)
        ended += 1

    trial.begin()
    while started < trial.operations:
        started += GATHER_CHILDREN
        await asyncio.gather(*(child() for _ in range(GATHER_CHILDREN)))
        incomplete += ended != started
    trial.end()
    trial.done = started
    trial.prove("children that ended", started, ended)
    trial.prove("gathers that completed before their children", 0, incomplete)


async def gather_sleep(trial):
    trial.begin()
    for _ in range(trial.operations):
        deadline = time.monotonic_ns() + 10_000_000
        await asyncio.gather(*(sleep_and_record(trial, deadline) for _ in range(GATHER_CHILDREN)))
    trial.end()
    trial.prove("children that woke", trial.operations * GATHER_CHILDREN, len(trial.late_ns))


def echo_pattern(connection, round_trip):
    """Bytes that differ by connection and by round trip: SplitMix64, as in bench/workloads/echo.cpp."""
    mask = (1 << 64) - 1
    state = (connection << 40) ^ round_trip
    words = []
    for _ in range(ECHO_BYTES // 8):
        state = (state + 0x9E3779B97F4A7C15) & mask
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        words.append(word ^ (word >> 31))
    return struct.pack(f"<{len(words)}Q", *words)


class Echo:
    """Clients and server in one loop, connected; asyncio's streams, which set TCP_NODELAY themselves."""

    def __init__(self, connections):
        self.served_bytes = [0] * connections
        self.round_trips = [0] * connections
        self.server_sockets = []
        self.handlers = []
        self.clients = []

    async def __aenter__(self):
        self.all_accepted = asyncio.Event()
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=4096)
        port = self.server.sockets[0].getsockname()[1]
        opened = (asyncio.open_connection("127.0.0.1", port) for _ in self.round_trips)
        self.clients = await asyncio.gather(*opened)
        await self.all_accepted.wait()
        return self

    async def __aexit__(self, *error):
        for _, writer in self.clients:
            writer.close()
        self.server.close()
        await asyncio.gather(*self.handlers, return_exceptions=True)

    async def _serve(self, reader, writer):
        index = len(self.handlers)
        self.handlers.append(asyncio.current_task())
        self.server_sockets.append(writer.get_extra_info("socket"))
        if len(self.handlers) == len(self.round_trips):
            self.all_accepted.set()
        while data := await reader.read(4096):
            writer.write(data)
            await writer.drain()
            self.served_bytes[index] += len(data)
        writer.close()

    async def make_round_trips(self, index, requests, latency_ns):
        reader, writer = self.clients[index]
        start = time.monotonic_ns()
        for request in requests:
            writer.write(request)
            await writer.drain()
            if await reader.readexactly(ECHO_BYTES) != request:
                raise Unproved(f"connection {index}: a reply is not the bytes sent")
            if latency_ns is not None:
                end = time.monotonic_ns()
                latency_ns.append(end - start)
                start = end
            self.round_trips[index] += 1

    async def phase(self, requests, latency_ns):
        await asyncio.gather(*(self.make_round_trips(index, each, latency_ns) for index, each in enumerate(requests)))


def echo_rtt(connections):
    async def run(trial):
        each = -(-trial.operations // connections)
        # Made beforehand: in this language the patterns would be a good part of the round trip.
        patterns = [[echo_pattern(index, number) for number in range(each + 1)] for index in range(connections)]
        warm_up, timed = [own[:1] for own in patterns], [own[1:] for own in patterns]
        async with Echo(connections) as echo:
            await echo.phase(warm_up, None)
            trial.begin()
            await echo.phase(timed, trial.latency_ns)
            trial.end()
            for _, writer in echo.clients:
                writer.write_eof()
            await asyncio.gather(*echo.handlers)
        trial.done = each * connections
        complete = [made == each + 1 for made in echo.round_trips].count(True)
        served = [count == (each + 1) * ECHO_BYTES for count in echo.served_bytes].count(True)
        trial.prove("connections on which every round trip was made", connections, complete)
        trial.prove("connections on which the server echoed every byte", connections, served)
        trial.prove("round trips with a latency", trial.done, len(trial.latency_ns))

    return run


WORKLOADS = [
    Workload("sleep/serial", sleep_serial, (1, 1), rate=False),
    Workload("sleep/concurrent", sleep_concurrent, (1, 1), rate=False),
    Workload("gather/yield/children:1000", gather_yield),
    Workload("gather/sleep/children:1000", gather_sleep, (3, 20), rate=False),
    Workload("echo/rtt/tcp/conns:1/bytes:64", echo_rtt(1), (3000, 40_000)),
    Workload("echo/rtt/tcp/conns:100/bytes:64", echo_rtt(100), (3000, 40_000), open_files=300),
    Workload("echo/rtt/tcp/conns:1000/bytes:64", echo_rtt(1000), (3000, 40_000), open_files=2100),
]


def run_loop(coroutine):
    if NAME != "asyncio-uvloop":
        return asyncio.run(coroutine)
    try:
        import uvloop
    except ImportError:
        coroutine.close()
        raise Unsupported("uvloop is not installed: pip install uvloop, or use the contender asyncio") from None
    return uvloop.run(coroutine)


def options_of(end):
    """What the kernel says of a socket, in the words of bench/contenders/socket_options.hpp."""
    found = {name: end.getsockopt(*option) for name, option in SOCKET_OPTIONS.items()}
    on, seconds = struct.unpack("ii", end.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8))
    found["SO_LINGER"] = seconds if on else "off"
    found["TCP_CONGESTION"] = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode()
    return " ".join(f"{name}={value}" for name, value in found.items())


async def connection():
    loop = asyncio.get_running_loop()
    selector = type(getattr(loop, "_selector", loop)).__name__
    async with Echo(1) as echo:
        client = echo.clients[0][1].get_extra_info("socket")
        options = f"client {options_of(client)}; server {options_of(echo.server_sockets[0])}"
    return {"driver": selector.removesuffix("Selector").lower(), "socket_options": options}


def about():
    library, version = "asyncio", platform.python_version()
    if NAME == "asyncio-uvloop":
        try:
            import uvloop
            library, version = "uvloop", uvloop.__version__
        except ImportError:
            library, version = "uvloop", "not installed"
    return {"library": library, "library_version": version, "buffers": f"echo: messages of {ECHO_BYTES} bytes"}


if __name__ == "__main__":
    Contender(NAME, __doc__.partition("\n")[0], WORKLOADS, run_loop, about, connection).main()
