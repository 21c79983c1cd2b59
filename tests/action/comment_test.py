#!/usr/bin/env python3
"""Tests .ci/comment with a server on the loopback interface that acts like the API of GitHub or GitLab.

    comment_test.py SOURCE
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

SOURCE = pathlib.Path()
MARKER = "<!-- loopbench  -->"
BOT = "github-actions[bot]"
SHA = "f" * 40


class Api(http.server.BaseHTTPRequestHandler):
    """Answers from `server.pulls` and `server.comments`. Requests with another token than `secret` are refused."""

    def answer(self, status, content):
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def respond(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        path, _, query = self.path.partition("?")
        server.requests.append((self.command, path, query))
        if "secret" not in (self.headers.get("PRIVATE-TOKEN"), (self.headers.get("Authorization") or "")[7:]):
            return self.answer(403, {})
        if path == "/user":
            return self.answer(server.user_status, {"login": "bot", "username": "bot"})
        if path == "/repos/o/r/pulls":
            return self.answer(200, server.pulls)
        if path == "/projects/3/merge_requests/7":
            return self.answer(200, {"sha": SHA})
        if self.command == "GET":
            page, size = (int(part.split("=")[1]) for part in reversed(query.split("&")))
            return self.answer(200, server.comments[(page - 1) * size:page * size])
        if self.command == "POST":
            server.comments.append(server.by("bot" if server.user_status == 200 else BOT) |
                                   {"id": 1 + len(server.comments)} | body)
            return self.answer(201, {})
        of_id = [each for each in server.comments if str(each["id"]) == path.rpartition("/")[2]]
        of_id[0].update(body)
        return self.answer(200, {})

    do_GET = do_POST = do_PATCH = do_PUT = respond

    def log_message(self, *_):
        pass


class CommentTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
        self.server.requests, self.server.comments, self.server.user_status = [], [], 403
        self.server.by = lambda name: {"user": {"login": name}, "author": {"username": name}}
        self.server.pulls = [{"number": 6, "head": {"sha": "e" * 40}}, {"number": 7, "head": {"sha": SHA}}]
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.text = self.folder / "comparison.txt"
        self.text.write_text("SLOWER: BM_sort by 5 %\n")
        self.event = {"html_url": "https://host/run", "head_sha": SHA, "head_branch": "my/branch",
               "head_repository": {"owner": {"login": "someone"}}}
        self.write_event()
        root = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.github = {"GITHUB_EVENT_PATH": str(self.folder / "event.json"), "GITHUB_REPOSITORY": "o/r",
                       "GITHUB_API_URL": root, "TOKEN": "secret"}
        self.gitlab = {"CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_PROJECT_ID": "4",
                       "CI_API_V4_URL": root, "TOKEN": "secret", "CI_PIPELINE_URL": "https://host/pipeline",
                       "CI_COMMIT_SHA": SHA}

    def write_event(self):
        (self.folder / "event.json").write_text(json.dumps({"workflow_run": self.event}))

    def comment(self, environment, *more, expected=0, file="comparison.txt"):
        command = [sys.executable, SOURCE / ".ci/comment", self.folder / file, *more]
        done = subprocess.run(command, env={"PATH": os.environ["PATH"]} | environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual(expected, done.returncode, done.stderr)
        return done.stdout + done.stderr

    def test_a_second_run_updates_the_comment(self):
        for environment, place in ((self.github, "/repos/o/r/issues/7/comments"),
                                   (self.gitlab, "/projects/3/merge_requests/7/notes")):
            with self.subTest(place=place):
                self.server.comments, self.server.requests = [], []
                self.server.user_status = 403 if environment is self.github else 200
                self.comment(environment)
                self.assertIn(("POST", place, ""), self.server.requests)
                self.text.write_text("PASS: nothing is slower\n")
                self.comment(environment)
                (only,) = self.server.comments
                self.assertIn("PASS", only["body"])
                self.assertIn("https://host/", only["body"])
                self.assertIn(SHA[:12], only["body"])

    def test_the_pull_request_is_found_by_branch_and_commit(self):
        self.comment(self.github)
        self.assertIn(("GET", "/repos/o/r/pulls", "state=open&head=someone%3Amy%2Fbranch"), self.server.requests)
        self.server.pulls = self.server.pulls[:1]  # it has a newer commit, or is closed
        self.server.comments = []
        self.comment(self.github)
        self.assertEqual([], self.server.comments)

    def test_the_run_of_an_older_commit_does_not_replace_the_comment(self):
        self.event["head_sha"], self.event["pull_requests"] = "d" * 40, [{"number": 7}]
        self.write_event()
        self.comment(self.github)
        self.comment(self.gitlab | {"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "d" * 40})
        self.assertEqual([], self.server.comments)

    def test_two_pull_requests_of_one_branch_get_no_comment_of_the_other(self):
        self.server.pulls[0]["head"]["sha"] = SHA
        self.assertIn("6, 7", self.comment(self.github, expected=1))
        self.event["pull_requests"] = [{"number": 6}, {"number": 7}]
        self.write_event()
        self.assertIn("6, 7", self.comment(self.github, expected=1))
        self.event["pull_requests"] = [{"number": 6}]
        self.write_event()
        self.comment(self.github)
        self.assertIn(("POST", "/repos/o/r/issues/6/comments", ""), self.server.requests)

    def test_a_deleted_fork_is_named(self):
        self.event["head_repository"] = None
        self.write_event()
        self.assertIn("deleted", self.comment(self.github, expected=1))

    def test_a_comment_on_a_later_page_is_found(self):
        self.server.comments = [self.server.by(BOT) | {"id": i, "body": "hello"} for i in range(250)]
        self.server.comments[230]["body"] = f"{MARKER}\nold"
        self.comment(self.github)
        self.assertEqual(250, len(self.server.comments))
        self.assertIn("SLOWER", self.server.comments[230]["body"])

    def test_the_comment_of_a_person_with_the_marker_is_not_changed(self):
        for environment, status in ((self.github, 403), (self.github, 200), (self.gitlab, 200)):
            self.server.user_status = status
            self.server.comments = [self.server.by("person") | {"id": 0, "body": f"{MARKER}\nmine"}]
            for _ in range(2):
                self.comment(environment)
            self.assertEqual(f"{MARKER}\nmine", self.server.comments[0]["body"])
            self.assertEqual(2, len(self.server.comments), "the second run finds the comment of the first one")

    def test_each_gate_of_a_project_has_its_own_comment(self):
        for name in ("one", "two", "one"):
            self.comment(self.github, name)
        self.assertEqual(2, len(self.server.comments))

    def test_a_text_is_a_block_that_it_cannot_end_and_is_cut(self):
        self.text.write_text("@owner\n````\n/merge #1 <!-- \n" + "x" * 100_000)
        self.comment(self.github)
        body = self.server.comments[0]["body"]
        fence = "`" * 5
        self.assertEqual(2, body.count(fence))
        self.assertLess(body.index("this run"), body.index(fence))
        for part in ("@owner", "/merge", "(cut"):
            self.assertLess(body.index(fence), body.index(part))
        self.assertTrue(body.endswith(fence))
        self.assertLess(len(body), 65_536)

    def test_a_symbolic_link_in_the_artifact_is_not_followed(self):
        self.text.unlink()
        (self.folder / "secret").write_text("the token")
        self.text.symlink_to(self.folder / "secret")
        self.comment(self.github)
        self.assertNotIn("the token", self.server.comments[0]["body"])

    def test_a_job_without_a_summary_failed(self):
        for conclusion in ("success", "failure"):
            self.assertEqual([], self.server.comments, "a successful run that skipped the comparison has no result")
            self.event["conclusion"] = conclusion
            self.write_event()
            self.comment(self.github, file="absent.txt")
        self.assertIn("FAILED", self.server.comments[0]["body"])

    def test_a_token_without_permission_is_named(self):
        self.assertIn("pull-requests: write", self.comment(self.github | {"TOKEN": "other"}, expected=1))

    def test_a_job_outside_of_a_merge_request_writes_nothing(self):
        del self.gitlab["CI_MERGE_REQUEST_IID"]
        self.comment(self.gitlab)
        self.assertEqual([], self.server.requests)

    def test_another_event_is_refused(self):
        (self.folder / "event.json").write_text("{}")
        self.assertIn("workflow_run", self.comment(self.github, expected=1))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
