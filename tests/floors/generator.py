#!/usr/bin/env python3
"""Acts as loopbench-generator, without a schedule: opens its connections twice, makes round trips on them, and prints
constant latencies. The results are the same on a busy machine.

    generator.py --port=PORT --connections=N --requests=N [other arguments of the generator]
"""

import json
import socket
import sys


def reply_on(connection, request):
    """Returns the reply, which is shorter than the request if the connection ends."""
    reply = b""
    try:
        connection.sendall(request)
        while len(reply) < len(request) and (part := connection.recv(len(request) - len(reply))):
            reply += part
    except ConnectionError:
        pass
    return reply


def main(words):
    options = dict(word.removeprefix("--").split("=", 1) for word in words)
    requests = int(options["requests"])
    replies = wrong = 0
    for _ in range(2):
        connections = [socket.create_connection(("127.0.0.1", int(options["port"])))
                       for _ in range(int(options["connections"]))]
        got = [(request, reply_on(connections[i % len(connections)], request))
               for i, request in enumerate(b"%64d" % i for i in range(requests))]
        replies = sum(request == reply for request, reply in got)
        wrong += sum(request != reply for request, reply in got)
        for connection in connections:
            connection.close()
    print(json.dumps({"latency": [[1000, 1003, replies]], "latency_min": 1001, "latency_max": 1002,
                      "latency_mean": 1001.5, "capacity": 0, "send_late_p99": 0, "busy": 0, "left_out": 0,
                      "sent": requests, "tries": 1, "replies": replies, "wrong_replies": wrong, "own_making": [],
                      "not_offered": None, "invalid": None}))


if __name__ == "__main__":
    main(sys.argv[1:])
