"""The proxy trojan, whose traffic looks like HTTPS (Debian's source package trojan): its server and its client.

Built with CMake, without MySQL and without a change of the source. The script starts a trojan server, a trojan client
that connects to it, and servers of its own for HTTP and UDP. Requests go to the SOCKS5 port of the client, each over
its own connection, 10 or 30 at once. 256 MiB are downloaded and uploaded. Datagrams go through the proxy, too. At the
end, the server and the client start again in the same process (SIGHUP), while connections are open.

Each check runs with both roles swapped, with only the server swapped, and with only the client swapped; the other role
is then on Asio's own context. openssl makes the certificate, and the client verifies it.
"""

import collections
import concurrent.futures
import contextlib
import functools
import hashlib
import http.server
import json
import signal
import socket
import socketserver
import threading

import kit
from streams import receive

HOST = "127.0.0.1"
REQUESTS = 1000
DATAGRAMS = 500
PATIENCE_S = 120
CHUNK = b"".join(number.to_bytes(4, "big") for number in range(1 << 18))  # 1 MiB
LARGE = 256  # chunks
SWAPPED = {"server and client": ("server", "client"), "server": ("server",), "client": ("client",)}


def run(program):
    program.install("libboost1.81-dev", "libboost-program-options1.81-dev", "libssl-dev", "openssl")
    program.cmake(program.source("trojan", patched=False), "-DENABLE_MYSQL=OFF")
    program.build("make a certificate", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "30",
                  "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out",
                  "cert.pem", cwd=program.folder)
    with serving(Server((HOST, 0), Pages)) as pages, serving(socketserver.UDPServer((HOST, 0), Echo)) as echo:
        checks = {f"{REQUESTS} requests, 10 at once": functools.partial(requests, pages, REQUESTS, 10),
                  f"{REQUESTS} requests, 30 at once": functools.partial(requests, pages, REQUESTS, 30),
                  f"download of {LARGE} MiB": functools.partial(download, pages),
                  f"upload of {LARGE} MiB": functools.partial(upload, pages),
                  f"{DATAGRAMS} datagrams": functools.partial(datagrams, echo),
                  "both start again": functools.partial(start_again, pages)}
        for title, roles in SWAPPED.items():
            for name, use in checks.items():
                program.check(f"{title} swapped: {name}", lambda way: Tunnel(program, way, roles).result_of(use))


class Pages(http.server.BaseHTTPRequestHandler):
    """Sends a short page that contains the path, or a large one; answers uploads with their checksum."""

    def do_GET(self):
        chunks = [CHUNK] * LARGE if self.path == "/large" else [page(self.path)]
        self.send_response(200)
        self.send_header("Content-Length", str(sum(map(len, chunks))))
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(chunk)

    def do_POST(self):
        checksum, left = hashlib.sha256(), int(self.headers["Content-Length"])
        while left > 0:
            data = self.rfile.read(min(left, 1 << 20))
            if not data:
                return
            checksum.update(data)
            left -= len(data)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(checksum.hexdigest().encode())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        """Ignores a connection that ends early, because the client reports it."""


def page(path):
    return f"{path} ".encode() * 100


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        data, answering = self.request
        answering.sendto(data, self.client_address)


@contextlib.contextmanager
def serving(server):
    """Runs a server in a thread, and yields its port."""
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class Tunnel:
    """A trojan server and a client. Only the named roles are swapped."""

    def __init__(self, program, way, swapped):
        self.program, self.way, self.swapped = program, way, swapped
        self.running, self.ports = {}, {}

    def result_of(self, use):
        """Starts both, and returns the result of use(self). Both must end at SIGTERM."""
        with contextlib.ExitStack() as stack:
            for role in ("server", "client"):
                self.write_settings(role, 0)  # the system chooses a free port
                build = self.way.folder if role in self.swapped else self.program.folder / "stock"
                self.running[role] = stack.enter_context(self.program.started(
                    self.way, build / "trojan", self.file(role), cwd=self.program.folder))
                self.ports[role] = int(self.running[role].prints(rf"\({role}\) started at \S+:(\d+)")[1])
            expected = {self.running[role].pid: self.way.name for role in self.swapped if self.way.swapped}
            if self.way.loops() != expected:
                raise kit.Failed(f"the loops of the processes are {self.way.loops()}; expected {expected}")
            result = use(self)
            for role, process in self.running.items():
                if (code := process.stops()) != 0:
                    raise kit.Failed(f"{result}, but the {role} ends with {code} after SIGTERM")
            return result

    def start_again(self, role):
        """Lets a process make its io_context again, at the same port."""
        self.write_settings(role, self.ports[role])
        self.running[role].process.send_signal(signal.SIGHUP)
        self.running[role].prints(r"(?s)restarting.* started at ")

    def file(self, role):
        return self.program.folder / f"{role}.json"

    def write_settings(self, role, port):
        settings = {"run_type": role, "local_addr": HOST, "local_port": port, "password": ["secret"], "log_level": 2,
                    "remote_addr": HOST}
        if role == "server":
            settings |= {"remote_port": 1, "ssl": {"cert": "cert.pem", "key": "key.pem"}}
        else:
            settings |= {"remote_port": self.ports["server"], "ssl": {"cert": "cert.pem", "sni": "localhost"}}
        self.file(role).write_text(json.dumps(settings))


def asked(tunnel, command, to):
    """Returns a connection to the client's SOCKS5 port (RFC 1928), and the address that it answers."""
    stream = socket.create_connection((HOST, tunnel.ports["client"]), timeout=PATIENCE_S)
    stream.sendall(b"\5\1\0")
    if receive(stream, 2) != b"\5\0":
        raise ConnectionError("the SOCKS5 server refuses the method")
    stream.sendall(b"\5" + command + b"\0" + address_of(to))
    answer = receive(stream, 10)
    if answer[1] != 0:
        raise ConnectionError("the SOCKS5 server refuses the command")
    return stream, (socket.inet_ntoa(answer[4:8]), int.from_bytes(answer[8:], "big"))


def address_of(port):
    return b"\1" + socket.inet_aton(HOST) + port.to_bytes(2, "big")


def connected(tunnel, to):
    return asked(tunnel, b"\1", to)[0]


def body_of(stream):
    """Yields the parts of the body of a response until the connection ends."""
    head = b""
    while b"\r\n\r\n" not in head:
        more = stream.recv(65536)
        if not more:
            raise ConnectionError("the connection ended before the response")
        head += more
    head, _, body = head.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.0 200 "):
        raise ConnectionError(f"the response is {head[:40]!r}")
    yield body
    while more := stream.recv(65536):
        yield more


def requests(to, number_of_requests, at_once, tunnel):
    def request(number):
        path = f"/{number}"
        try:
            with connected(tunnel, to) as stream:
                stream.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                return "right" if b"".join(body_of(stream)) == page(path) else "wrong"
        except TimeoutError:
            return "hang"
        except OSError:
            return "fail"

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        found = collections.Counter(pool.map(request, range(number_of_requests)))
    counts = ", ".join(f"{found[each]} {each}" for each in ("wrong", "fail", "hang"))
    return f"{found['right']} of {number_of_requests} right, {counts}"


def compared(checksum, expected):
    return "equal checksums" if checksum == expected else "different checksums"


@functools.cache
def expected_checksum():
    checksum = hashlib.sha256()
    for _ in range(LARGE):
        checksum.update(CHUNK)
    return checksum.hexdigest()


def download(to, tunnel):
    checksum = hashlib.sha256()
    with connected(tunnel, to) as stream:
        stream.sendall(b"GET /large HTTP/1.0\r\n\r\n")
        for part in body_of(stream):
            checksum.update(part)
    return compared(checksum.hexdigest(), expected_checksum())


def upload(to, tunnel):
    with connected(tunnel, to) as stream:
        stream.sendall(f"POST / HTTP/1.0\r\nContent-Length: {len(CHUNK) * LARGE}\r\n\r\n".encode())
        for _ in range(LARGE):
            stream.sendall(CHUNK)
        return compared(b"".join(body_of(stream)).decode(), expected_checksum())


def datagrams(to, tunnel):
    """Sends datagrams through the proxy, each after the echo of the one before."""
    control, relay = asked(tunnel, b"\3", 0)
    with control, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(PATIENCE_S)
        sender.connect(relay)
        for number in range(DATAGRAMS):
            data = b"\0\0\0" + address_of(to) + number.to_bytes(2, "big") * (1 + number)
            sender.send(data)
            if (answer := sender.recv(65536)) != data:
                raise kit.Failed(f"datagram {number} comes back as {answer[:20]!r}")
        return f"{DATAGRAMS} of {DATAGRAMS} come back"


def start_again(to, tunnel):
    """Lets the server and then the client start again while five downloads are open, which must end. Then makes
    requests.
    """
    ended = 0
    for role in ("server", "client"):
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(connected(tunnel, to)) for _ in range(5)]
            for stream in streams:
                stream.sendall(b"GET /large HTTP/1.0\r\n\r\n")
                receive(stream, 1)
            tunnel.start_again(role)
            ended += sum(map(ends, streams))
    return f"{ended} of 10 downloads ended; {requests(to, 20, 5, tunnel)}"


def ends(stream):
    """Returns whether the download ends before it is complete."""
    received = 0
    with contextlib.suppress(ConnectionError):
        while more := stream.recv(1 << 20):
            received += len(more)
    return received < LARGE << 20
