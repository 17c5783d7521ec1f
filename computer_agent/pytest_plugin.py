"""The pytest plugin: recorded runs and plain-English steps as tests.

    def test_checkout(trace):
        trace.replay("checkout.trace", var={"secret1": os.environ["PASSWORD"]})

Files that end with ``.trace`` (a zip, as `oi trace zip` writes it) and ``.steps`` are tests by themselves. Each test
has a desktop of its own, so that workers of pytest-xdist do not meet. ``trace/README.md`` tells more.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from computer_agent.approval.approval import Refuse
    from computer_agent.loop import Agent
    from computer_agent.models.model import Model
    from computer_agent.settings import Settings
    from computer_agent.step import Event, Finished

__all__ = ["TraceFailed", "Traces"]

_DESKTOPS = ("private", "memory", "x11")


class TraceFailed(AssertionError):
    """A replay diverged, or steps were not done; the message says at which step, what was expected, what was seen."""


@dataclass(kw_only=True)
class Traces:
    """Replays traces and runs steps for one test. ``artifacts`` is the folder that its own traces are kept in.

    ``base`` is the folder that names of traces count from: the test file's. ``desktop`` is ``private``, ``memory`` or
    ``x11``.
    """

    base: Path
    artifacts: Path
    desktop: str
    size: tuple[int, int] = (1280, 800)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    made: list[Path] = field(default_factory=list)

    def replay(self, trace: str | Path, *, var: Mapping[str, str] | None = None) -> None:
        """Do what was recorded again, and compare what it changes. ``var`` holds the secret texts, and parameters.

        Raises ``TraceFailed``, also for what is no trace or cannot be replayed.
        """
        __tracebackhide__ = True
        from computer_agent.trace.errors import TraceError
        from computer_agent.trace.reader import read
        from computer_agent.trace.replay import ReplayModel
        from computer_agent.trace.replay_command import kept, settings_for

        try:
            recorded = read(self.base / trace)
            model = ReplayModel(recorded, values=var or {})
        except TraceError as error:
            raise TraceFailed(str(error)) from None
        if recorded.header.screen is not None:
            self.size = recorded.header.screen.pair
        folder = self._new_folder()
        settings = settings_for(recorded, self._settings(recorded.header.task, model.name, var or {}, folder))
        finished = self._finished(settings, model, model.attach)
        said = list(kept(model, recorded, folder))
        if finished.ending != "done":
            raise TraceFailed(_readable(f'the replay of "{trace}"', finished.words, folder, said))

    def run(self, steps: str, *, var: Mapping[str, str] | None = None) -> None:
        """Do plain-English steps; ``var`` holds what ``$NAME`` stands for, beside the environment.

        Raises ``TraceFailed``, also for steps that cannot be read.
        """
        __tracebackhide__ = True
        from computer_agent.models.model import BadSteps
        from computer_agent.models.steps import StepsModel, parse_steps

        values = {**self.environment, **(var or {})}
        try:
            parse_steps(steps, values)
        except BadSteps as error:
            raise TraceFailed(str(error)) from None
        self._check(steps, StepsModel(values=values), var or {}, "the steps")

    def _check(self, task: str, model: Model, var: Mapping[str, str], what: str) -> None:
        __tracebackhide__ = True
        folder = self._new_folder()
        finished = self._finished(self._settings(task, model.name, var, folder), model)
        if finished.ending != "done":
            raise TraceFailed(_readable(what, finished.words, folder))

    def _new_folder(self) -> Path:
        folder = self.artifacts / f"trace{len(self.made) + 1}"
        self.made.append(folder)
        return folder

    def _finished(
        self, settings: Settings, model: Model, opened: Callable[[Agent], None] = lambda _agent: None
    ) -> Finished:
        from computer_agent.assemble import Questions, agent_for
        from computer_agent.loop import run
        from computer_agent.step import Finished

        last: Event | None = None
        questions = Questions(ask=lambda _folder: lambda _proposal, _resolved: _nobody())
        with agent_for(settings, model, tell=lambda _event: None, questions=questions) as agent:
            opened(agent)
            for event in run(settings.task, agent):
                last = event
        assert isinstance(last, Finished)  # noqa: S101 - a run ends with one
        return last

    def _settings(self, task: str, model: str, var: Mapping[str, str], folder: Path) -> Settings:
        from computer_agent.code_settings import CodeSettings
        from computer_agent.settings import Settings

        work = self.artifacts / "work"
        work.mkdir(parents=True, exist_ok=True)
        return Settings(
            os=True,
            task=task,
            model=model,
            desktop=self.desktop,
            size=self.size,
            approval="all",
            share="off",
            trace=folder,
            values=var,
            code=CodeSettings(workspace=work),
            state=self.artifacts / "state",
            environment={**self.environment, "XDG_STATE_HOME": str(self.artifacts / "state")},
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("oi", "recorded runs (oi)")
    group.addoption(
        "--oi-desktop", choices=_DESKTOPS, help="where they run; default: a private one for each test"
    )
    group.addoption("--oi-artifacts", metavar="FOLDER", help="where the traces of failed tests are kept")
    group.addoption(
        "--oi-var",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value for .steps and .trace files",
    )
    parser.addini("oi_desktop", "where recorded runs are tested: private, memory or x11", default="private")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of steps, or a trace in one file, is a test, unless a test file beside it names it."""
    if file_path.suffix not in (".steps", ".trace") or _is_named(file_path):
        return None
    if file_path.suffix == ".steps" or _is_archive(file_path):
        return _TraceFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def trace(request: pytest.FixtureRequest) -> Traces:
    """Replays recorded runs and runs steps, on a desktop of this test's own."""
    return _traces(request.node, request.path.parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a failed test did is kept and named in its report; what one that passed did is removed."""
    report = yield
    traces = item.stash.get(_TRACES, None)
    if traces is None or call.when == "teardown":
        return report
    if report.failed:
        kept = tuple(_pages(traces.made))
        report.sections.append(("recorded runs", "\n".join(kept)))
        item.user_properties.extend(("oi_trace", str(folder)) for folder in traces.made)
    elif call.when == "call":
        shutil.rmtree(traces.artifacts, ignore_errors=True)
    return report


_TRACES: pytest.StashKey[Traces] = pytest.StashKey()


class _TraceFile(pytest.File):
    """A file that is one test."""

    def collect(self) -> Iterable[pytest.Item]:
        yield _TraceItem.from_parent(self, name="replay" if self.path.suffix == ".trace" else "steps")


class _TraceItem(pytest.Item):
    """The test that a file of steps, or a trace, is."""

    def runtest(self) -> None:
        traces = _traces(self, self.path.parent)
        values = dict(_assigned(words) for words in self.config.getoption("--oi-var"))
        if self.name == "replay":
            traces.replay(self.path, var=values)
        else:
            traces.run(self.path.read_text("utf-8-sig"), var=values)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: None = None) -> str:  # type: ignore[override]  # noqa: ARG002 - our own text has no style
        """The sentence, without the plugin's own frames."""
        if isinstance(excinfo.value, TraceFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def _traces(item: pytest.Item, base: Path) -> Traces:
    """What the test has, made when it is first asked for."""
    known = item.stash.get(_TRACES, None)
    if known is not None:
        return known
    desktop = item.config.getoption("--oi-desktop") or item.config.getini("oi_desktop")
    if desktop not in _DESKTOPS:
        raise pytest.UsageError(f'oi_desktop cannot be "{desktop}". Choose one of: {", ".join(_DESKTOPS)}.')
    made = Traces(base=base, artifacts=_artifacts(item), desktop=desktop, environment=dict(os.environ))
    item.stash[_TRACES] = made
    return made


def _artifacts(item: pytest.Item) -> Path:
    """An empty folder for this test, the same each time."""
    chosen, cache = item.config.getoption("--oi-artifacts"), item.config.cache
    if chosen is not None:
        folder = Path(chosen)
    elif cache is not None:
        folder = cache.mkdir("oi-traces")
    else:
        folder = Path(tempfile.mkdtemp(prefix="oi-traces-"))
    readable = re.sub(r"[^\w.-]+", "_", item.nodeid)[-80:].strip("_")
    mark = hashlib.sha256(item.nodeid.encode()).hexdigest()[:8]
    own = folder.resolve() / f"{readable}-{mark}"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    return own


def _is_named(file: Path) -> bool:
    """Whether a test file in the same folder tests it already."""
    beside = {*file.parent.glob("test_*.py"), *file.parent.glob("*_test.py")}
    return any(file.name.encode() in test.read_bytes() for test in beside)


def _is_archive(path: Path) -> bool:
    """Not every file called so is ours."""
    from computer_agent.trace.archive import is_archive

    return is_archive(path)


def _pages(folders: Iterable[Path]) -> Iterator[str]:
    """The traces, each with its HTML page, as far as one can be made."""
    from computer_agent.trace.errors import TraceError
    from computer_agent.trace.view.writing import write_page

    for folder in folders:
        yield f"trace: {folder}"
        page = folder / "trace.html"
        try:
            write_page(folder, page)
        except (OSError, TraceError) as error:
            yield f"page:  none, {error}"
        else:
            yield f"page:  {page}"


def _readable(what: str, words: str, folder: Path, said: Sequence[str] = ()) -> str:
    """What is said of the step that went otherwise, else the words of the run's end."""
    if not said:
        return f"{what} did not pass.\n  {words}\n  trace     {folder}"
    lines = [line for line in said if not line.startswith("  side by side")]
    return "\n".join([f"{what} {lines[0]}", *lines[1:], f"  trace     {folder}"])


def _assigned(words: str) -> tuple[str, str]:
    name, equals, value = words.partition("=")
    if not (name and equals):
        raise pytest.UsageError(
            f'--oi-var takes NAME=VALUE, such as --oi-var secret1=hunter2, not "{words}".'
        )
    return name, value


def _nobody() -> Refuse:
    """The answer to a question in a test."""
    from computer_agent.approval.approval import Refuse

    return Refuse("nobody is asked in a test, and this is always asked about")
