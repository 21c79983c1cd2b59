"""Boost.Beast's advanced example servers with several threads (Debian's source package boost1.81).

The servers are compiled as they are, and started with four threads. tests/upstream/drive.py then talks to each server
with many clients at once: HTTP, WebSocket, and both over TLS.
"""

import re
import sys

import kit

THREADED = {"beast_advanced_threads": "beast/advanced/server/advanced_server",
            "beast_flex_threads": "beast/advanced/server-flex/advanced_server_flex",
            "beast_websocket_threads": "beast/websocket/server/async/websocket_server_async"}


def run(program):
    program.install("libboost1.81-dev", "libssl-dev", "iproute2")
    source = program.folder / "source"
    program.build("fetch the source package boost1.81", sys.executable, "-B", kit.UPSTREAM / "fetch.py", "boost1.81",
                  source)
    program.version = "1.81"
    libs = source / "boost/libs"
    for server in THREADED.values():
        folder, _, name = server.partition("/")
        program.compile(server, libs / folder / "example" / f"{name}.cpp", flags=("-w", f"-I{libs}/beast"),
                        libraries=("-lssl", "-lcrypto"))
    for scenario in THREADED:
        program.check(scenario, lambda way: driven(program, way, scenario, libs))


def driven(program, way, scenario, libs):
    done = program.run(way, kit.IN_NAMESPACE, sys.executable, "-B", kit.UPSTREAM / "drive.py", scenario, way.folder,
                       libs)
    if not (found := re.fullmatch(r"\d+ checks passed\n", done.output)):
        raise kit.Failed(done.output.partition("\n")[0])
    return found[0]
