#!/usr/bin/env python3
"""The contender asyncio runs the suite's sleep, gather and echo workloads on Python's event loop.

This contender shows that a program in any language can be a contender, if it has the flags and the JSON of a Google
Benchmark program. If the program is started as asyncio-uvloop, it uses uvloop.
"""

import sys

# Moves this folder to the end of the search path; otherwise, `import asyncio` would import this file.
sys.path.append(sys.path.pop(0))

import asyncio
import contextlib
import os
import platform
import random
import socket
import struct
import tempfile
import time

from gbench import Contender, Unproved, Unsupported, Workload, percentile

ECHO_BYTES = 64
BUFFER_BYTES_MIN = 4096
WARM_UP_ROUND_TRIPS = 8
GATHER_CHILDREN = 1000
NAME = os.path.basename(sys.argv[0]).removesuffix(".py")

# The same options as in process/socket_options.cpp. The numbers are the kernel's; they are used if Python's socket
# module does not define the name of an option.
SOCKET_OPTIONS = {name: (socket.IPPROTO_TCP, getattr(socket, name))
                  for name in ("TCP_NODELAY", "TCP_QUICKACK", "TCP_CORK", "TCP_NOTSENT_LOWAT")} | {
    name: (socket.SOL_SOCKET, getattr(socket, name, number))
    for name, number in {"SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_RCVLOWAT": 18, "SO_KEEPALIVE": 9, "SO_BUSY_POLL": 46,
                         "SO_PRIORITY": 12, "SO_ZEROCOPY": 60}.items()}


# asyncio can end a sleep early by less than a microsecond, because it stores times as floating-point numbers and wakes
# every task that is due within its clock's resolution. uvloop uses libuv's timers, which can be early by up to 2 ms
# (bench/suite/peers/uv_runtime.hpp).
EARLY_LIMIT_NS = 2_000_000 if NAME == "asyncio-uvloop" else 1000


async def sleep_until(deadline_ns):
    """Sleeps once, even if the sleep ends early. A second sleep would hide the inaccuracy of the library's timers."""
    await asyncio.sleep(max(deadline_ns - time.monotonic_ns(), 0) / 1e9)


async def sleep_and_record(trial, deadline_ns):
    await sleep_until(deadline_ns)
    trial.record_lateness(deadline_ns)


def sleep_pair_ns(trial):
    return (5_000_000, 7_000_000) if trial.small else (500_000_000, 700_000_000)


async def sleep_serial(trial):
    first, second = sleep_pair_ns(trial)
    trial.begin()
    for _ in range(trial.operations):
        await sleep_and_record(trial, time.monotonic_ns() + first)
        await sleep_and_record(trial, time.monotonic_ns() + second)
    trial.end()
    trial.prove("number of sleeps that ended", 2 * trial.operations, len(trial.late_ns))
    trial.prove_lasted("the sleeps", trial.operations * (first + second) - len(trial.late_ns) * EARLY_LIMIT_NS,
                       trial.cost[0])


async def sleep_concurrent(trial):
    started = ended = together = 0

    async def one_of_two(deadline_ns):
        nonlocal started, ended, together
        started += 1
        await sleep_and_record(trial, deadline_ns)
        ended += 1
        if ended % 2 == 1:
            together += started - ended + 1

    trial.begin()
    for _ in range(trial.operations):
        start = time.monotonic_ns()
        await asyncio.gather(*(one_of_two(start + delay) for delay in sleep_pair_ns(trial)))
    trial.end()
    trial.prove("number of sleeps that ended", 2 * trial.operations, len(trial.late_ns))
    trial.prove("number of sleeps that had started when the first sleep ended", 2 * trial.operations, together)


def shuffled(i, count):
    return i * 2_147_483_647 % count


async def sleep_many(trial):
    count = trial.operations
    trial.begin()
    lead_ns, spacing_ns = 10_000_000 + count * 3000, 5000
    first = time.monotonic_ns() + lead_ns
    await asyncio.gather(*(sleep_and_record(trial, first + shuffled(i, count) * spacing_ns) for i in range(count)))
    trial.end()
    trial.prove("number of sleeps that ended", count, len(trial.late_ns))
    trial.prove_lasted("the sleeps", lead_ns + (count - 1) * spacing_ns - EARLY_LIMIT_NS - 5_000_000, trial.cost[0])


class Ended:
    def __init__(self):
        self.count = 0

    async def ready(self):
        self.count += 1

    async def after_a_yield(self):
        await asyncio.sleep(0)
        self.count += 1

    async def tree(self, leaves):
        if leaves == 1:
            await self.after_a_yield()
        else:
            await asyncio.gather(*(self.tree(leaves // 10) for _ in range(10)))


def gather_in_batches(size, batch):
    async def run(trial):
        await batch(Ended())
        ended = Ended()
        started = incomplete = 0
        trial.begin(size)
        while count := trial.next():
            for _ in range(count // size):
                started += size
                await batch(ended)
                incomplete += ended.count != started
        trial.end()
        trial.prove("number of children that ended", started, ended.count)
        trial.prove("number of gathers that completed before their children", 0, incomplete)

    return run


gather_ready = gather_in_batches(
    GATHER_CHILDREN, lambda ended: asyncio.gather(*(ended.ready() for _ in range(GATHER_CHILDREN))))
gather_yield = gather_in_batches(
    GATHER_CHILDREN, lambda ended: asyncio.gather(*(ended.after_a_yield() for _ in range(GATHER_CHILDREN))))


def gather_tree(leaves):
    return gather_in_batches(leaves, lambda ended: ended.tree(leaves))


async def gather_sleep(trial):
    skews_ns = []
    trial.begin()
    for _ in range(trial.operations):
        deadline = time.monotonic_ns() + 10_000_000
        await asyncio.gather(*(sleep_and_record(trial, deadline) for _ in range(GATHER_CHILDREN)))
        late_ns = trial.late_ns[-GATHER_CHILDREN:]
        skews_ns.append(max(late_ns) - min(late_ns))
    trial.end()
    trial.reported["skew"] = percentile(skews_ns, 50)
    trial.prove("number of children that woke up", trial.operations * GATHER_CHILDREN, len(trial.late_ns))


class Messages:
    WINDOWS = 65_536
    KEPT = 64

    def __init__(self, size):
        self.size = size
        self.block = random.Random(1).randbytes(size + self.WINDOWS)

    def of(self, connection):
        """Returns the offsets of one connection's messages in the block of random bytes. They are computed in advance,
        because computing one takes a large part of a round trip in Python."""
        offsets = random.Random(connection)
        return [offsets.randrange(self.WINDOWS) for _ in range(self.KEPT)]


class Echo:
    def __init__(self, connections, message_bytes=ECHO_BYTES, unix=False):
        self.message_bytes = message_bytes
        self.unix = unix
        self.messages = Messages(message_bytes)
        self.served_bytes = [0] * connections
        self.round_trips = [0] * connections
        self.offsets = [self.messages.of(index) for index in range(connections)]
        self.rounds = 0
        self.waiting = []
        self.server_sockets = []
        self.handlers = []
        self.clients = []

    async def __aenter__(self):
        self.all_accepted = asyncio.Event()
        self.folder = tempfile.TemporaryDirectory(prefix="loopbench-") if self.unix else contextlib.nullcontext()
        if self.unix:
            path = os.path.join(self.folder.name, "echo")
            self.server = await asyncio.start_unix_server(self._serve, path, backlog=4096)
            opened = (asyncio.open_unix_connection(path) for _ in self.round_trips)
        else:
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
        with self.folder:
            pass

    async def _serve(self, reader, writer):
        index = len(self.handlers)
        self.handlers.append(asyncio.current_task())
        self.server_sockets.append(writer.get_extra_info("socket"))
        if len(self.handlers) == len(self.round_trips):
            self.all_accepted.set()
        while data := await reader.read(max(self.message_bytes, BUFFER_BYTES_MIN)):
            writer.write(data)
            await writer.drain()
            self.served_bytes[index] += len(data)
        writer.close()

    async def make_round_trips(self, index, count, trial=None):
        reader, writer = self.clients[index]
        block, size, offsets = self.messages.block, self.message_bytes, self.offsets[index]
        recording = trial is not None and trial.recording
        start = time.monotonic_ns() if recording else 0
        for _ in range(count):
            offset = offsets[self.round_trips[index] % self.messages.KEPT]
            request = block[offset:offset + size]
            writer.write(request)
            await writer.drain()
            if await reader.readexactly(size) != request:
                raise Unproved(f"connection {index}: a reply differs from the bytes that were sent")
            if recording:
                start = trial.record_latency(start)
            self.round_trips[index] += 1

    async def make_timed_round_trips(self, index, trial):
        """Makes the timed round trips of one connection. After `rounds` round trips, the connection waits until every
        connection has finished; the last one to finish starts the next `rounds` round trips."""
        while self.rounds:
            await self.make_round_trips(index, self.rounds, trial)
            if len(self.waiting) + 1 < len(self.clients):
                self.waiting.append(asyncio.get_running_loop().create_future())
                await self.waiting[-1]
                continue
            self.begin_rounds(trial)
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                each.set_result(None)

    def begin(self, trial):
        trial.begin(len(self.clients), (2, 4))
        self.begin_rounds(trial)

    def begin_rounds(self, trial):
        self.rounds = trial.next() // len(self.clients)
        if not self.rounds:
            trial.end()

    async def all(self, make):
        await asyncio.gather(*(make(index) for index in range(len(self.clients))))

    async def warm_up(self):
        await self.all(lambda index: self.make_round_trips(index, WARM_UP_ROUND_TRIPS))

    async def finish(self, trial):
        for _, writer in self.clients:
            writer.write_eof()
        await asyncio.gather(*self.handlers)
        connections = len(self.round_trips)
        each = trial.done // connections + WARM_UP_ROUND_TRIPS
        complete = [made == each for made in self.round_trips].count(True)
        served = [count == each * self.message_bytes for count in self.served_bytes].count(True)
        trial.prove("number of connections that made every round trip", connections, complete)
        trial.prove("number of connections on which the server echoed every byte", connections, served)


def echo_rtt(connections, message_bytes, unix):
    async def run(trial):
        async with Echo(connections, message_bytes, unix) as echo:
            await echo.warm_up()
            echo.begin(trial)
            await echo.all(lambda index: echo.make_timed_round_trips(index, trial))
            await echo.finish(trial)
        trial.prove("number of timed round trips whose latency was recorded", trial.timed() if trial.recording else 0,
                    len(trial.latency_ns))

    return run


async def gather_echo(trial):
    connections = 100
    async with Echo(connections) as echo:
        await echo.warm_up()
        echo.begin(trial)
        while echo.rounds:
            for _ in range(echo.rounds):
                start = time.monotonic_ns() if trial.recording else 0
                await echo.all(lambda index: echo.make_round_trips(index, 1))
                if trial.recording:
                    trial.record_latency(start)
            echo.begin_rounds(trial)
        await echo.finish(trial)
    gathers = trial.timed() // connections
    trial.prove("number of timed gathers whose latency was recorded", gathers if trial.recording else 0,
                len(trial.latency_ns))


def echo_workloads():
    for kind, sizes in {"tcp": (64, 1024, 16_384), "unix": (64,)}.items():
        for size in sizes:
            for connections, files in {1: 100, 100: 300, 1000: 2100}.items():
                small = 12_000 if connections == 1000 else 1000 if size == 16_384 else 3000
                yield Workload(f"echo/rtt/{kind}/conns:{connections}/bytes:{size}",
                               echo_rtt(connections, size, kind == "unix"),
                               (small, 20_000 if size == 16_384 else 40_000), open_files=files)


WORKLOADS = [
    Workload("sleep/serial", sleep_serial, (1, 1), rate=False),
    Workload("sleep/concurrent", sleep_concurrent, (1, 1), rate=False),
    *(Workload(f"sleep/many/sleeps:{count}", sleep_many, (count, count), rate=False)
      for count in (1000, 10_000, 100_000)),
    Workload("gather/ready/children:1000", gather_ready),
    Workload("gather/yield/children:1000", gather_yield),
    Workload("gather/sleep/children:1000", gather_sleep, (3, 20), rate=False),
    Workload("gather/echo/children:100", gather_echo, (3000, 40_000), open_files=300),
    *(Workload(f"gather/tree/leaves:{leaves}", gather_tree(leaves)) for leaves in (100, 1000, 10_000)),
    *echo_workloads(),
]


def run_loop(coroutine):
    if NAME != "asyncio-uvloop":
        return asyncio.run(coroutine)
    try:
        import uvloop
    except ImportError:
        coroutine.close()
        raise Unsupported("uvloop is not installed; install it (pip install uvloop), or use the contender "
                          "asyncio") from None
    return uvloop.run(coroutine)


def options_of(end):
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
    return {"library": library, "library_version": version,
            "buffers": f"the echo server's buffers have the size of a message, but at least {BUFFER_BYTES_MIN} bytes"}


if __name__ == "__main__":
    Contender(NAME, __doc__.partition("\n")[0], WORKLOADS, run_loop, about, connection, EARLY_LIMIT_NS).main()
