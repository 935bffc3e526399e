"""A service that searches turns, behind HTTP on this machine, and that fails on purpose."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CLIENT = """
import http.client, json, os

def call(path, what):
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["SERVICE"]), timeout=5)
    connection.request("POST", path, json.dumps(what))
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"status {answer.status}")
    return json.loads(body)

class Memory:
    partial = True

    def __init__(self, conversation, vocabulary):
        self.sample = conversation.sample_id
        call("/build", {"sample": self.sample, "turns": {turn.id: turn.text for turn in conversation.turns}})

    def ask(self, question, k):
        return call("/ask", {"sample": self.sample, "question": question, "k": k})
"""
"""A memory that has the service search. SERVICE in the environment is the port."""


class Service:
    """What the service was asked, and how it behaves."""

    def __init__(self, status: Callable[[int], int] = lambda number: 200, seconds: float = 0) -> None:
        """It answers the question of this number, from 0 on, with a status, after some seconds.

        With the status 0 it hangs up.
        """
        self.asked: list[tuple[str, int, str]] = []
        """The conversation, k and question of each that was answered."""
        self.built: list[str] = []
        """The conversations of which it got the turns."""
        self.most = 0
        """How many questions it had at once, at most."""
        self.refuses: str = ""
        """A conversation of which it takes no turns."""
        self._status, self._seconds = status, seconds
        self._turns: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()
        self._number = self._now = 0

    def build(self, sample: str, turns: dict[str, str]) -> tuple[int, Any]:
        """Take the turns of a conversation."""
        if sample == self.refuses:
            return 503, None
        self.built.append(sample)
        self._turns[sample] = turns
        return 200, None

    def ask(self, sample: str, question: str, k: int) -> tuple[int, Any]:
        """The turns that share most words with the question."""
        with self._lock:
            number, self._number = self._number, self._number + 1
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self._seconds)
        with self._lock:
            self._now -= 1
            status = self._status(number)
            if status == 200:
                self.asked.append((sample, k, question))
        words = set(question.lower().split())
        shared = {id: len(words & set(text.lower().split())) for id, text in self._turns[sample].items()}
        best = sorted(shared, key=lambda id: -shared[id])
        return status, [(id, shared[id]) for id in best if shared[id]][:k]


@contextmanager
def serving(service: Service, port: int = 0) -> Iterator[int]:
    """Have it listen; gives the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, found = service.build(**given) if self.path == "/build" else service.ask(**given)
            body = json.dumps(found).encode()
            if not status:
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
