"""Python's `1+1` in the terminal, beside a Jupyter kernel: the first time and every time after."""

from __future__ import annotations

from functools import partial

from bed import Child, peers, quiet_place
from timing import Row, in_turn, rounds, show, timed

from computer_api.computer import Computer

CODE, RESULT = "1+1", "2"


def main() -> None:
    count = rounds(30)
    with quiet_place() as environment, peers(environment) as peer:
        peer.ask("load", modules=["jupyter_client.manager"])
        cold = Row(what='run("python", "1+1"), first: starts the worker', peer="start_new_kernel, execute")
        in_turn(3, partial(_ours_cold, cold), partial(_theirs_cold, cold, peer))
        warm = Row(what='run("python", "1+1"), then', peer="execute_interactive")
        with Computer.open("memory") as computer:
            computer.run("python", "0")
            peer.ask("run_cold", code="0")
            in_turn(count, partial(_ours, warm, computer), partial(_theirs, warm, peer))
            peer.ask("end_kernel")
    show("Python 1+1: right are the results that came back", [cold, warm])


def _ours_cold(row: Row) -> None:
    with Computer.open("memory") as computer:
        _ours(row, computer)


def _ours(row: Row, computer: Computer) -> None:
    seconds, receipt = timed(lambda: computer.run("python", CODE))
    row.ours.append(seconds)
    row.ours_right.count(right=receipt.output.strip() == RESULT)


def _theirs_cold(row: Row, peer: Child) -> None:
    _theirs(row, peer, "run_cold")
    peer.ask("end_kernel")


def _theirs(row: Row, peer: Child, verb: str = "run") -> None:
    answer = peer.ask(verb, code=CODE)
    row.theirs.append(answer.seconds)
    row.theirs_right.count(right=answer.value.strip() == RESULT)


if __name__ == "__main__":
    main()
