"""Pinned files: where they are looked for, how they are checked, what is said when there is none.

A web server of our own on the loopback stands for the internet.
"""

import gzip
import hashlib
import http.server
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pooch
import pytest

from helpers.shared import ROOT
from helpers.terminal import TIME_LEFT, watch
from locomo.core import download
from locomo.core.download import OFFLINE, MissingFileError, Pinned, fetch
from locomo.core.errors import LocomoError

BODY = b'[{"sample_id": "invented"}]\n' * 5_000
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PATH = "data/talk.json"


class Server(http.server.ThreadingHTTPServer):
    """Answers every request with ``body``; says it is ``announced`` bytes long."""

    body = BODY
    announced = len(BODY)
    status = 200
    encoding = ""
    stalls = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.done = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/owner/name"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(self.server.announced))
        if self.server.encoding:
            self.send_header("Content-Encoding", self.server.encoding)
        self.end_headers()
        self.wfile.write(self.server.body)
        self.wfile.flush()
        if self.server.stalls:
            self.server.done.wait(60)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.done.set()
        running.shutdown()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache folder of the test's own, no setting of ours, and no proxy before the loopback."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("LOCOMO_CACHE", raising=False)
    monkeypatch.delenv(OFFLINE, raising=False)
    folder = Path(pooch.os_cache("locomo-bench"))
    assert tmp_path in folder.parents
    return folder


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once."""
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)


def pinned(url: str) -> Pinned:
    return Pinned(url, COMMIT, PATH, len(BODY), hashlib.sha256(BODY).hexdigest())


def put(folder: Path, body: bytes = BODY) -> Path:
    place = folder / PATH
    place.parent.mkdir(parents=True)
    place.write_bytes(body)
    return place


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def refused() -> str:
    """A URL at a port where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/owner/name"


# Found


def test_a_download_lands_in_the_cache_and_is_not_repeated(server: Server, cache: Path) -> None:
    place = fetch(pinned(server.url))
    assert place == cache / PATH and place.read_bytes() == BODY
    assert server.asked == [f"/owner/name/{COMMIT}/{PATH}"]
    assert fetch(pinned(server.url)) == place
    assert len(server.asked) == 1
    assert files(cache) == [place]


def test_the_folders_of_locomo_cache_come_first_and_in_order(
    server: Server, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "gone", tmp_path / "wrong", tmp_path / "right", tmp_path / "also right"]
    put(folders[1], BODY[:-1])
    expected = put(folders[2])
    put(folders[3])
    put(cache)
    monkeypatch.setenv("LOCOMO_CACHE", os.pathsep.join(["", *map(str, folders), ""]))
    assert fetch(pinned(server.url)) == expected
    assert server.asked == []


def test_the_users_cache_comes_next(
    server: Server, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCOMO_CACHE", str(tmp_path / "empty"))
    expected = put(cache)
    assert fetch(pinned(server.url)) == expected
    assert server.asked == []


def test_nothing_is_written_to_a_folder_of_locomo_cache(
    server: Server, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = put(tmp_path / "shared", b"x" * len(BODY))
    for path in (wrong, wrong.parent, tmp_path / "shared"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "shared").rglob("*")}
    monkeypatch.setenv("LOCOMO_CACHE", str(tmp_path / "shared"))
    assert fetch(pinned(server.url)) == cache / PATH
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "shared").rglob("*")} == before


def test_a_wrong_file_in_the_users_cache_is_replaced(server: Server, cache: Path) -> None:
    put(cache, b"x" * len(BODY))
    assert fetch(pinned(server.url)).read_bytes() == BODY
    assert files(cache) == [cache / PATH]


def test_a_cached_file_needs_no_network_library(tmp_path: Path) -> None:
    put(tmp_path / "shared")
    file = pinned("http://127.0.0.1:9")
    script = (
        f"import sys; from locomo.core.download import Pinned, fetch; print(fetch({file!r}));"
        "assert not {'pooch', 'requests'} & set(sys.modules)"
    )
    env = {"PYTHONPATH": str(ROOT / "src"), "LOCOMO_CACHE": str(tmp_path / "shared")}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / 'shared' / PATH}\n"


# Not found


def test_a_download_of_another_size(server: Server, cache: Path) -> None:
    server.body = BODY[:-10]
    server.announced = len(server.body)
    with pytest.raises(LocomoError) as caught:
        fetch(pinned(server.url))
    assert f"what came has {len(BODY) - 10} bytes, expected {len(BODY)}" in str(caught.value)
    assert len(server.asked) == 1  # the same wrong file would come again
    assert files(cache) == []


def test_a_download_with_one_byte_changed(server: Server, cache: Path) -> None:
    server.body = BODY[:100] + b"?" + BODY[101:]
    with pytest.raises(LocomoError) as caught:
        fetch(pinned(server.url))
    found, expected = (hashlib.sha256(body).hexdigest() for body in (server.body, BODY))
    assert f"what came has SHA-256 {found}, expected {expected}" in str(caught.value)
    assert files(cache) == []


@pytest.mark.usefixtures("no_waiting")
def test_a_download_cut_short_is_tried_once_more(server: Server, cache: Path) -> None:
    server.body = BODY[:-10]
    with pytest.raises(LocomoError, match="could not be downloaded"):
        fetch(pinned(server.url))
    assert len(server.asked) == 2
    assert files(cache) == []


@pytest.mark.usefixtures("no_waiting")
def test_a_file_that_the_server_does_not_have(server: Server, cache: Path) -> None:
    server.status = 404
    with pytest.raises(LocomoError, match="404"):
        fetch(pinned(server.url))
    assert files(cache) == []


@pytest.mark.usefixtures("no_waiting")
def test_a_server_that_stops_sending(server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.body, server.stalls = BODY[:10], True
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    with pytest.raises(LocomoError, match="timed out"):
        fetch(pinned(server.url))
    assert files(cache) == []


@pytest.mark.usefixtures("no_waiting")
def test_no_network_names_the_url_and_every_place(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pinned(refused())
    put(tmp_path / "short", b"x")
    put(tmp_path / "changed", b"x" * len(BODY))
    put(cache, b"")
    folders = ["short", "changed", "gone"]
    monkeypatch.setenv("LOCOMO_CACHE", os.pathsep.join(str(tmp_path / name) for name in folders))
    with pytest.raises(MissingFileError) as caught:
        fetch(file)
    message = str(caught.value)
    found = hashlib.sha256(b"x" * len(BODY)).hexdigest()
    for said in (
        f"{PATH} could not be downloaded",
        f"{tmp_path / 'short' / PATH}: has 1 bytes, expected {len(BODY)}",
        f"{tmp_path / 'changed' / PATH}: has SHA-256 {found}, expected {file.sha256}",
        f"{tmp_path / 'gone' / PATH}: cannot be read (No such file or directory)",
        f"{cache / PATH}: has 0 bytes, expected {len(BODY)}",
        f"Download {file.url}/{COMMIT}/{PATH} ({len(BODY)} bytes, SHA-256 {file.sha256}) to {cache / PATH}",
        f"LOCOMO_CACHE to a folder that holds it as {PATH}",
    ):
        assert said in message
    assert "refused" in message
    assert caught.value.remedy == f"Download {file.url}/{COMMIT}/{PATH} to {cache / PATH}"


def test_nothing_is_downloaded_offline(server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OFFLINE, "1")
    file = pinned(server.url)
    with pytest.raises(MissingFileError) as caught:
        fetch(file)
    assert f"{file.url}/{COMMIT}/{PATH}: not downloaded, because LOCOMO_OFFLINE is set" in str(caught.value)
    expected = put(cache)
    assert fetch(file) == expected
    assert server.asked == []


def test_a_cache_folder_that_cannot_be_made(server: Server, cache: Path) -> None:
    cache.parent.parent.mkdir(parents=True, exist_ok=True)
    cache.parent.write_text("a file where the folder should be")
    with pytest.raises(LocomoError) as caught:
        fetch(pinned(server.url))
    assert str(cache) in str(caught.value) and "could not be downloaded" in str(caught.value)


# The stage


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Path:
    """A folder with settings that name our server and file."""
    file = pinned(server.url)
    params = (ROOT / "params.yaml").read_text(encoding="utf-8")
    dataset = (
        f"dataset:\n  url: {file.url}\n  commit: {file.commit}\n  path: {file.path}\n"
        f"  bytes: {file.bytes}\n  sha256: {file.sha256}\n  file: data/none\n\n"
    )
    folder = tmp_path / "project"
    folder.mkdir()
    rest = params[params.index("# The answer key") :]
    (folder / "params.yaml").write_text(dataset + rest, encoding="utf-8")
    return folder


COMMAND = [sys.executable, str(ROOT / "src" / "fetch.py")]


def stage(project: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(COMMAND, cwd=project, capture_output=True, text=True)


def test_the_stage_puts_the_dataset_in_place(project: Path, cache: Path) -> None:
    done = stage(project)
    assert (done.returncode, done.stderr) == (0, "")  # no progress where nobody watches
    assert done.stdout.count("\n") == 2
    for said in (
        "data/locomo10.json",
        f"{len(BODY):,} bytes",
        hashlib.sha256(BODY).hexdigest()[:12],
        str(cache),
    ):
        assert said in done.stdout
    assert (project / "data" / "locomo10.json").read_bytes() == BODY
    assert files(project / "data") == [project / "data" / name for name in ("locomo10.json", "key.json")]


@pytest.mark.parametrize("fault", ["changed byte", "setting", "nothing listens"])
def test_the_stage_fails_without_a_traceback_and_writes_nothing(
    project: Path, cache: Path, server: Server, fault: str
) -> None:
    params = project / "params.yaml"
    if fault == "changed byte":
        server.body = b"?" + BODY[1:]
    elif fault == "setting":
        params.write_text(params.read_text().replace("\nfloor: 0.3", "\nfloor: abc"))
    else:
        params.write_text(params.read_text().replace(server.url, refused()))
    done = stage(project)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr
    assert done.stdout == ""
    assert files(project) == [params] and files(cache) == []


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_stage_stopped_while_downloading_can_be_run_again(
    project: Path, cache: Path, server: Server, sent: signal.Signals, code: int
) -> None:
    server.body, server.stalls = BODY[:100_000], True
    with subprocess.Popen(COMMAND, cwd=project, stderr=subprocess.PIPE, text=True) as running:
        give_up = time.monotonic() + 30
        while not files(cache) and time.monotonic() < give_up:
            time.sleep(0.02)
        assert files(cache)  # pooch's temporary file: the download is under way
        running.send_signal(sent)
        _, stderr = running.communicate()
    assert (running.returncode, stderr) == (code, "")
    assert not (project / "data").exists() and not (cache / PATH).exists()
    if sent == signal.SIGINT:
        assert files(cache) == []
    server.body, server.stalls = BODY, False
    assert stage(project).returncode == 0
    assert (project / "data" / "locomo10.json").read_bytes() == BODY


@pytest.mark.parametrize("compressed", [False, True])
def test_a_terminal_shows_progress(project: Path, server: Server, compressed: bool) -> None:
    """Counted in bytes of the file, however few of them travel."""
    if compressed:
        server.body, server.encoding = gzip.compress(BODY), "gzip"
        server.announced = len(server.body)
    watched = watch(COMMAND, project, os.environ)
    assert watched.code == 0
    assert re.search(f"\rdownload:  .*{TIME_LEFT}", watched.sent), watched.sent
    bar, printed, key, end = watched.screen
    assert bar.startswith("download: 100%|") and " 140k/140k [" in bar
    assert printed.startswith("data/locomo10.json: 140,000 bytes") and not end
    assert key == "data/key.json: answer key published"


def test_the_real_dataset_passes_the_stage(
    dataset_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCOMO_CACHE", str(dataset_path.parent.parent))
    shutil.copy(ROOT / "params.yaml", tmp_path)
    assert stage(tmp_path).returncode == 0
    assert (tmp_path / "data" / "locomo10.json").stat().st_size == 2_805_274
