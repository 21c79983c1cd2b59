#!/usr/bin/env python3
"""Runs example programs of Asio and Beast over real sockets, as their users would.

usage: drive.py SCENARIO PROGRAMS LIBS

SCENARIO is a name in the table at the end of this file. PROGRAMS is the folder of the built programs. LIBS is the
folder of Boost's sources, from which the script reads a file with TLS parameters. The script needs its own network
namespace (in_namespace), because the ports are fixed. The script prints the number of checks. If a check fails, the
script prints this check and the programs' output, and ends with exit code 1.
"""

import base64
import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from streams import receive

HOST = "127.0.0.1"
PORT = 8080
PATIENCE_S = 60


class Failed(Exception):
    pass


class Stage:
    def __init__(self, programs, libs, folder):
        self.programs, self.libs = pathlib.Path(programs).resolve(), pathlib.Path(libs).resolve()
        self.folder = pathlib.Path(folder)
        self.running = []
        self.checks = 0
        self.counting = threading.Lock()

    def check(self, what, holds):
        with self.counting:
            self.checks += 1
        if not holds:
            raise Failed(what)

    def equal(self, what, found, wanted):
        self.check(f"{what} is {found!r}; expected {wanted!r}", found == wanted)

    def start(self, program, *arguments):
        """Starts a program. Its input is a pipe. Its output goes into a file, line by line."""
        output = open(self.folder / f"output-{len(self.running)}", "wb")
        command = ["stdbuf", "--output=L", self.programs / program, *map(str, arguments)]
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        process.output, process.name, process.serves = output, program, False
        self.running.append(process)
        return process

    def said(self, process):
        return pathlib.Path(process.output.name).read_text(errors="replace")

    def wait_until(self, what, holds):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.nothing_failed()
            if holds():
                self.checks += 1
                return
            time.sleep(0.01)
        raise Failed(f"not within {PATIENCE_S} s: {what}")

    def prints(self, process, text):
        self.wait_until(f"{process.name} prints {text!r}", lambda: text in self.said(process))

    def serve(self, program, *arguments, port=PORT):
        process = self.start(program, *arguments)
        process.serves = True

        def listens():
            with contextlib.suppress(ConnectionRefusedError), connect(port):
                return True
            return False

        self.wait_until(f"{program} listens", listens)
        return process

    def run(self, program, *arguments, text=""):
        process = self.start(program, *arguments)
        process.communicate(text.encode(), timeout=PATIENCE_S)
        self.equal(f"the exit code of {program}", process.returncode, 0)
        return self.said(process)

    def ends_at_sigterm(self, process):
        process.serves = False
        process.send_signal(signal.SIGTERM)
        self.equal("the exit code after SIGTERM", process.wait(timeout=PATIENCE_S), 0)

    def nothing_failed(self):
        for process in self.running:
            if process.poll() is not None and (process.serves or process.returncode != 0):
                raise Failed(f"{process.name} ended with {process.returncode}")

    def end(self):
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # also ends the processes that the program has forked
            process.wait()
            process.stdin.close()
            process.output.close()


def connect(port=PORT):
    return socket.create_connection((HOST, port), timeout=PATIENCE_S)


def pattern(number, size):
    return bytes((number * 31 + position) % 251 for position in range(size))


def echoes(stage, streams, rounds=40, size_max=1000):
    """Checks echoes on all streams. Each sweep sends on every stream before it receives the first echo."""
    for number in range(rounds):
        size = 1 + number * size_max // rounds
        for each, stream in enumerate(streams):
            stream.sendall(pattern(number + each, size))
        for each, stream in enumerate(streams):
            stage.equal("the echo", receive(stream, size), pattern(number + each, size))
    for stream in streams:
        stream.close()


def echo_server(stage, program, *arguments, port=PORT):
    server = stage.serve(program, *arguments, port=port)
    echoes(stage, [connect(port) for _ in range(8)])
    echoes(stage, [connect(port)], rounds=3)
    return server


def get(stage, path, status, body=None, port=PORT, tls=None, method="GET"):
    connection = http.client.HTTPSConnection(HOST, port, timeout=PATIENCE_S, context=tls) if tls else \
        http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)
    connection.request(method, path)
    answer = connection.getresponse()
    found = answer.read()
    stage.equal(f"{method} {path}", answer.status, status)
    if body is not None:
        stage.equal(f"the body of {path}", found, body)
    connection.close()


PAGES = {"small.html": b"<p>small</p>", "index.html": b"index", "large.txt": pattern(3, 300000)}


def write_pages(stage):
    documents = stage.folder / "documents"
    documents.mkdir(exist_ok=True)
    for name, content in PAGES.items():
        (documents / name).write_bytes(content)


def get_pages(stage, **where):
    for name, content in PAGES.items():
        get(stage, f"/{name}", 200, content, **where)
    get(stage, "/", 200, b"index", **where)
    get(stage, "/none", 404, **where)


def pages(stage, **where):
    write_pages(stage)
    get_pages(stage, **where)


def unverified():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def websocket(stage, stream):
    key = base64.b64encode(pattern(1, 16)).decode()
    stream.sendall(f"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += receive(stream, 1)
    stage.check(f"the connection becomes a WebSocket: {answer!r}", answer.startswith(b"HTTP/1.1 101 "))
    return stream


def say(stream, text, opcode=1):
    data = text.encode()
    mask = b"\x11\x22\x33\x44"
    stream.sendall(bytes([0x80 | opcode, 0x80 | len(data)]) + mask +
                   bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))


def hear(stream):
    first, size = receive(stream, 2)
    return first & 15, receive(stream, size).decode(errors="replace")


def websocket_echoes(stage, stream):
    websocket(stage, stream)
    for number in range(20):
        say(stream, f"message {number}")
        stage.equal("the echo", hear(stream), (1, f"message {number}"))
    say(stream, "are you there", opcode=9)
    stage.equal("the answer to a ping", hear(stream), (10, "are you there"))
    say(stream, "", opcode=8)
    stage.equal("the answer to a close", hear(stream)[0], 8)
    stream.close()


def asio_echo(program, stage):
    echo_server(stage, f"asio/cpp11/{program}", PORT)


def coroutine_echo(stage):
    stage.ends_at_sigterm(echo_server(stage, "asio/cpp20/coroutines/refactored_echo_server", port=55555))


def built(stage, *names):
    """Returns the first of these names that a built example has. The name depends on the version of Boost."""
    return next(name for name in names if (stage.programs / name).exists())


def of_cpp03(stage, program):
    """Returns the name of an example of Asio that Boost 1.84 has moved from the folder cpp03 to cpp11."""
    return built(stage, f"asio/cpp11/{program}", f"asio/cpp03/{program}")


def coroutine_timeout(stage):
    timeout = "asio/cpp20/coroutines/timeout"
    echo_server(stage, built(stage, f"{timeout}_watchdog", timeout), port=54321)
    silent = connect(54321)
    silent.sendall(b"once")
    stage.equal("the echo", receive(silent, 4), b"once")
    stage.equal("the end", silent.recv(1), b"")


def datagrams(stage):
    server = stage.start("asio/cpp11/echo/async_udp_echo_server", PORT)
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect((HOST, PORT))
    client.settimeout(0.1)

    def answers():
        with contextlib.suppress(ConnectionRefusedError, TimeoutError):
            client.send(b"first")
            return client.recv(2000) == b"first"
        return False

    stage.wait_until("the server answers", answers)
    client.settimeout(PATIENCE_S)
    for size in range(1, 1000, 50):
        client.send(pattern(size, size))
        stage.equal("the echo", client.recv(2000), pattern(size, size))
    stage.equal("the exit code of the running server", server.poll(), None)


def chat(stage):
    def message(text):
        return f"{len(text):4}{text}".encode()

    stage.serve("asio/cpp11/chat/chat_server", PORT, PORT + 1)
    listener, other_room = connect(), connect(PORT + 1)
    clients = [stage.start(each, HOST, PORT)
               for each in ["asio/cpp11/chat/chat_client"] * 2 + [of_cpp03(stage, "chat/posix_chat_client")]]
    for number, client in enumerate(clients):
        text = f"this is {number}"
        client.stdin.write(f"{text}\n".encode())
        client.stdin.flush()
        stage.equal("the message that a participant receives", receive(listener, 4 + len(text)), message(text))
        for each in clients:
            stage.prints(each, text)
    other_room.sendall(message("elsewhere"))
    stage.equal("the message in the other room", receive(other_room, 13), message("elsewhere"))
    late = connect()
    stage.equal("the first message that a late participant receives", receive(late, 13), message("this is 0"))
    for client in clients[:2]:
        client.stdin.close()
        stage.equal("the exit code of a client whose input has ended", client.wait(timeout=PATIENCE_S), 0)
    stage.check("a participant receives only messages of its own room", "elsewhere" not in stage.said(clients[0]))


def coroutine_chat(stage):
    server = stage.serve("asio/cpp20/coroutines/chat_server", PORT)
    participants = [connect() for _ in range(5)]
    for number, speaker in enumerate(participants):
        line = f"line {number}\n".encode()
        speaker.sendall(line)
        for each in participants:
            stage.equal("the message that each participant receives", receive(each, len(line)), line)
    participants[0].close()
    participants[1].sendall(b"without one\n")
    stage.equal("the message after one participant has left", receive(participants[2], 12), b"without one\n")
    stage.ends_at_sigterm(server)


def daytime(stage):
    stage.serve(of_cpp03(stage, "tutorial/daytime7/server"), port=13)
    year = time.strftime("%Y")
    with connect(13) as stream:
        stage.check("the server sends the date over TCP", year in receive(stream, 25).decode())
        said = stage.run("asio/cpp11/futures/daytime_client", HOST)
        stage.check("the server sends the date over UDP, to a client with futures", year in said)


# The name http_ ends with an underscore, because `http` is a module.
def http_(stage):
    server = stage.serve("asio/cpp11/http/server", HOST, 80, "documents", port=80)
    pages(stage, port=80)
    said = stage.run(of_cpp03(stage, "http/client/async_client"), HOST, "/small.html")
    stage.check(f"the client prints {said}", "<p>small</p>" in said and "Content-Length: 12" in said)
    stage.ends_at_sigterm(server)


def local(stage):
    path = stage.folder / "socket"
    stage.start("asio/cpp11/local/stream_server", path)
    stage.wait_until("the server listens", path.exists)
    for text in ["one", "another"]:
        said = stage.run("asio/cpp11/local/stream_client", path, text=f"{text}\n")
        stage.check(f"the client prints {said}", f"Reply is: {text}" in said)
    streams = [socket.socket(socket.AF_UNIX) for _ in range(4)]
    for stream in streams:
        stream.settimeout(PATIENCE_S)
        stream.connect(str(path))
    echoes(stage, streams)


def multicast(stage):
    receivers = [stage.start("asio/cpp11/multicast/receiver", "0.0.0.0", "239.255.0.1") for _ in range(2)]
    stage.wait_until("both have joined", lambda: "0100FFEF" in pathlib.Path("/proc/net/igmp").read_text().upper()
                     and pathlib.Path("/proc/net/udp").read_text().count(":7531 ") == 2)
    stage.start("asio/cpp11/multicast/sender", "239.255.0.1")
    for receiver in receivers:
        stage.prints(receiver, "Message 2")


def proxy(stage):
    """Sends data through the proxy. The proxy's target is in this script, and returns all bytes in reversed order."""
    target = socket.create_server((HOST, PORT + 1))
    target.settimeout(PATIENCE_S)
    stage.serve("asio/cpp20/channels/throttling_proxy", HOST, PORT, HOST, PORT + 1)
    target.accept()[0].close()
    data = pattern(5, 60000)  # the proxy limits its throughput with tokens, and needs three tokens for this amount
    pairs = [(connect(), target.accept()[0]) for _ in range(3)]
    for client, _ in pairs:
        client.sendall(data)
    for _, served in pairs:
        served.settimeout(PATIENCE_S)
        stage.equal("the forwarded data", receive(served, len(data)), data)
        served.sendall(data[::-1])
    for client, _ in pairs:
        stage.equal("the echo", receive(client, len(data)), data[::-1])


def timeouts(stage):
    clients = "asio/cpp11/timeouts"
    heard = stage.start(f"{clients}/blocking_udp_client", HOST, PORT + 1)
    stage.serve(f"{clients}/server", PORT, HOST, PORT + 1)
    listens = stage.start(f"{clients}/async_tcp_client", HOST, PORT)
    stage.prints(listens, "Connected to")
    said = stage.run(f"{clients}/blocking_tcp_client", HOST, PORT, "hello")
    stage.check(f"the speaker prints {said}", "Round trip time: " in said)
    stage.prints(listens, "Received: hello")
    stage.prints(heard, "Received: hello")
    stage.prints(heard, "Receive error: ")  # after ten seconds of silence


def tls(stage):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=here",
                    "-keyout", "key.pem", "-out", "ca.pem"], cwd=stage.folder, check=True, capture_output=True)
    (stage.folder / "server.pem").write_bytes((stage.folder / "key.pem").read_bytes() +
                                              (stage.folder / "ca.pem").read_bytes())
    (stage.folder / "dh4096.pem").write_bytes((stage.libs / "asio/example/cpp11/ssl/dh4096.pem").read_bytes())
    stage.serve("asio/cpp11/ssl/server", PORT)
    streams = [unverified().wrap_socket(connect()) for _ in range(4)]
    echoes(stage, streams)
    said = stage.run("asio/cpp11/ssl/client", HOST, PORT, text="over TLS\n")
    stage.check(f"the client prints {said}", "Reply: over TLS" in said and "Verifying" in said)


def beast_flex(stage):
    server = stage.serve("beast/advanced/server-flex/advanced_server_flex", HOST, PORT, "documents", 1)
    for context in [None, unverified()]:
        pages(stage, tls=context)
        websocket_echoes(stage, context.wrap_socket(connect()) if context else connect())
    stage.ends_at_sigterm(server)


def at_once(clients):
    """Runs each client in its own thread."""
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        for running in [pool.submit(client) for client in clients]:
            running.result()


def beast_threads(program, has_pages, contexts, stage):
    """Drives a server with four threads by 24 clients at once: half of them use HTTP, if the server has pages."""
    server = stage.serve(f"beast/{program}", HOST, PORT, *(["documents"] if has_pages else []), 4)
    write_pages(stage)

    def client(number):
        context = contexts[number // 2 % len(contexts)]
        for _ in range(5):
            if has_pages and number % 2:
                get_pages(stage, tls=context)
            else:
                websocket_echoes(stage, context.wrap_socket(connect()) if context else connect())

    at_once([partial(client, number) for number in range(24)])
    if has_pages:
        stage.ends_at_sigterm(server)


def beast_http(stage):
    stage.serve("beast/http/server/async/http_server_async", HOST, PORT, "documents", 2)
    pages(stage)
    get(stage, "/small.html", 200, b"", method="HEAD")
    for client in ["async/http_client_async", "awaitable/http_client_awaitable"]:
        said = stage.run(f"beast/http/client/{client}", HOST, PORT, "/small.html")
        stage.check(f"{client} prints {said}", "200 OK" in said and "<p>small</p>" in said)


def beast_https(stage):
    stage.serve("beast/http/server/async-ssl/http_server_async_ssl", HOST, PORT, "documents", 1)
    pages(stage, tls=unverified())


def beast_websocket(way, stage):
    stage.serve(f"beast/websocket/server/{way}/websocket_server_{way}", HOST, PORT, 1)
    websocket_echoes(stage, connect())
    said = stage.run(f"beast/websocket/client/{way}/websocket_client_{way}", HOST, PORT, "to and fro")
    stage.check(f"the client prints {said}", "to and fro" in said)


def beast_chat(stage):
    server = stage.serve("beast/websocket/server/chat-multi", HOST, PORT, "documents", 3)
    participants = [websocket(stage, connect()) for _ in range(4)]
    for number, speaker in enumerate(participants):
        say(speaker, f"this is {number}")
        for each in participants:
            stage.equal("the message that each participant receives", hear(each), (1, f"this is {number}"))
    participants[0].close()
    say(participants[1], "without one")
    stage.equal("the message after one participant has left", hear(participants[2]), (1, "without one"))
    stage.ends_at_sigterm(server)


SCENARIOS = {
    **{each.__name__.rstrip("_"): each for each in [
        beast_chat, beast_flex, beast_http, beast_https, chat, coroutine_chat, coroutine_echo, coroutine_timeout,
        datagrams, daytime, http_, local, multicast, proxy, timeouts, tls]},
    # tests/programs/beast.py runs these.
    "beast_advanced_threads": partial(beast_threads, "advanced/server/advanced_server", True, [None]),
    "beast_flex_threads": partial(beast_threads, "advanced/server-flex/advanced_server_flex", True,
                                  [None, unverified()]),
    "beast_websocket_threads": partial(beast_threads, "websocket/server/async/websocket_server_async", False, [None]),
    "beast_websocket": partial(beast_websocket, "async"),
    "beast_websocket_coroutines": partial(beast_websocket, "awaitable"),
    "allocation": partial(asio_echo, "allocation/server"),
    "echo": partial(asio_echo, "echo/async_tcp_echo_server"),
    "fork": partial(asio_echo, "fork/process_per_connection"),
    "spawn": partial(asio_echo, "spawn/echo_server"),
    "third_party": partial(asio_echo, "nonblocking/third_party_lib"),
}


def main():
    name, programs, libs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(programs, libs, folder)
        try:
            SCENARIOS[name](stage)
            stage.nothing_failed()
        except (Failed, OSError, subprocess.SubprocessError, http.client.HTTPException) as failed:
            print(f"{name}: {failed or type(failed).__name__}")
            for process in stage.running:
                print(f"-- {process.name} ({process.poll()}):\n{stage.said(process)}")
            return 1
        finally:
            stage.end()
    print(f"{stage.checks} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
