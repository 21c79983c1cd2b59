"""WebSocket++, a library for WebSocket clients and servers (Debian's source package websocketpp): its own tests.

Built with the library's CMake project. These tests run servers and clients over real connections, some of them in
several threads: timeouts of handshakes, of pings and of TLS, contexts that run out of work, and the end of listening.
The other tests of the library use no io_context. Two things are replaced, for both builds: the names of some
constructors and destructors, because they repeat the template arguments of their class, which C++20 does not allow; and
the quotation marks around a list of Boost's libraries, which the CMake package of Boost 1.81 does not accept.

A detached thread of test_transport can hold the last reference to a connection, and so destroy a socket while another
thread destroys the io_context of the socket, which Asio does not allow. On the loop, the test then sometimes crashes.
"""

import re

import kit

PROGRAMS = ("test_transport", "test_transport_asio_timers", "test_endpoint")
NAMES = {"endpoint.hpp": ("~endpoint<connection,config>(",),
         "roles/server_endpoint.hpp": ("    server<config>(", "~server<config>("),
         "logger/basic.hpp": ("    basic<concurrency,names>(", "~basic<concurrency,names>(")}


def run(program):
    program.install(*(f"libboost-{each}1.81-dev" for each in ("system", "test", "thread")), "libssl-dev", "iproute2")
    source = program.source("websocketpp", patched=False)
    libraries = "${WEBSOCKETPP_BOOST_LIBS}"
    program.replace(source / "CMakeLists.txt", f'COMPONENTS "{libraries}")', f"COMPONENTS {libraries})")
    for file, names in NAMES.items():
        for name in names:
            program.replace(source / "websocketpp" / file, name, re.sub("<.*>", "", name))
    program.cmake(source, "-DBUILD_TESTS=ON", targets=PROGRAMS)
    for name in PROGRAMS:
        program.check(name, lambda way: tested(program, way, name))


def tested(program, way, name):
    """Runs a program of Boost.Test, in a network namespace because its ports are fixed."""
    done = program.run(way, kit.IN_NAMESPACE, way.folder / "bin" / name, "--report_level=short")
    counts = [re.search(rf"(\d+ {what}s? out of \d+) passed", done.output) for what in ("test case", "assertion")]
    if not all(counts):
        raise kit.Failed(f"ends with {done.code}: {kit.last_line(done.output)}")
    return ", ".join(found[1] for found in counts)
