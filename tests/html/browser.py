"""A headless Chromium with one page. It is controlled with the DevTools protocol
(https://chromedevtools.github.io/devtools-protocol). Messages are JSON texts that end with a zero byte. The browser
reads messages from its descriptor 3, and writes messages to its descriptor 4.
"""

import itertools
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
REMEDY = ("no Chromium is installed, which opens report.html; install one with .ci/install browser "
          "(Debian: chromium-headless-shell)")


def executable():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise SystemExit(REMEDY)
    return found


class Browser:
    """A running browser. Usage: `with Browser() as page:`, then `page.open(path)` for each page."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # Chromium needs --no-sandbox if it runs as root, for example in a container.
        start = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", start, executable(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.to_browser = open(ours_out, "wb", buffering=0)
        self.from_browser = open(ours_in, "rb")
        self.unread = b""
        self.ids = itertools.count(1)
        self.session = {}
        self.events = []
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.to_browser.close()
        self.from_browser.close()
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.unread:
            more = self.from_browser.read1(1 << 20)
            if not more:
                raise RuntimeError(f"{executable()} ended")
            self.unread += more
        message, _, self.unread = self.unread.partition(b"\0")
        message = json.loads(message)
        if "method" in message:
            self.events.append(message)
        return message

    def call(self, method, **parameters):
        number = next(self.ids)
        request = {"id": number, "method": method, "params": parameters, **self.session}
        self.to_browser.write(json.dumps(request).encode() + b"\0")
        while (answer := self.receive()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, width=1280, scheme="light", fragment=""):
        """Opens a page and waits until it is loaded. Afterwards, `events` contains all events since this call."""
        self.resize(width)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.navigate("about:blank")  # a URL that differs only in its fragment would not load the page again
        self.navigate(path.resolve().as_uri() + (f"#{fragment}" if fragment else ""))

    def navigate(self, address):
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.receive()

    def resize(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            exception = answer["exceptionDetails"].get("exception", {})
            raise RuntimeError(exception.get("description", "the script threw an exception"))
        return answer["result"].get("value")

    def complaints(self):
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event["params"] for event in self.events if event["method"] in kinds]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
