"""What the sandbox costs: the start of a worker, a block after that, and trying the sandbox out."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

from timing import Row, in_turn, rounds, show, timed

from computer_api.terminal import Terminal
from computer_api.terminal.sandbox import Policy, Sandbox, Unconfined
from computer_api.terminal.sandbox.choosing import open_sandbox

FIRST = {"python": "1+1", "shell": "echo 2"}
WORK = {
    "python": (
        "import os\nfor number in range(300):\n  with open('f', 'w') as f: f.write('x')\n"
        "for _ in range(20000): os.stat('f')"
    ),
    "shell": "for i in $(seq 50); do /bin/true; done",
}


def main() -> None:
    count = rounds(15)
    with tempfile.TemporaryDirectory() as folder:
        home, workspace = Path(folder, "home"), Path(folder, "work")
        home.mkdir()
        workspace.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        policy = Policy(access="workspace-write", workspace=workspace)
        tried, (_, protection) = timed(lambda: open_sandbox("auto", policy, environment))
        rows = []
        for language in FIRST:
            rows += _measured(language, count, policy, environment)
    show(
        "Ours is in the sandbox, theirs the same worker without one: their right is the result of a block",
        rows,
        f"trying it out, once in a process: {tried * 1000:.0f} ms; {protection.words}",
    )


def _measured(language: str, count: int, policy: Policy, environment: dict[str, str]) -> list[Row]:
    cold = Row(what=f"{language}: start and first block", peer="unconfined")
    warm = Row(what=f"{language}: a block of nothing", peer="unconfined")
    work = Row(what=f"{language}: files and programs", peer="unconfined")

    def run(*, confined: bool) -> None:
        sandbox: Sandbox = open_sandbox("auto", policy, environment)[0] if confined else Unconfined()
        with Terminal(cwd=policy.workspace, environment=environment, sandbox=sandbox) as terminal:
            for row, code in ((cold, FIRST[language]), (warm, FIRST[language]), (work, WORK[language])):
                seconds, output = timed(partial(terminal.run, language, code))
                (row.ours if confined else row.theirs).append(seconds)
                (row.ours_right if confined else row.theirs_right).count(right=output.ok)

    in_turn(count, partial(run, confined=True), partial(run, confined=False))
    return [cold, warm, work]


if __name__ == "__main__":
    main()
