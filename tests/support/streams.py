"""Sockets of the scripts that talk to servers."""


def receive(stream, size):
    """Returns exactly `size` bytes. Raises ConnectionError if the connection ends before that."""
    data = b""
    while len(data) < size:
        more = stream.recv(size - len(data))
        if not more:
            raise ConnectionError(f"the connection ended after {len(data)} of {size} bytes")
        data += more
    return data
