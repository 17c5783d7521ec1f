"""What the commands to `oi` do in a conversation."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from computer_agent.chat.magic import SHELL, UnknownMagic, help_lines, wish
from computer_agent.code_settings import BadSetting
from computer_agent.conversations.record import ConversationError, Header, Kept
from computer_agent.models.model import ModelError
from computer_api.errors import DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from computer_agent.chat.magic import Magic
    from computer_agent.chat.talk import Talk
    from computer_agent.settings import Settings

_CHANGES_SHELL = re.compile(r"(?:(?:cd|pushd|popd)(?!\S)|(?:export|alias)\s)[^;&|\n]*")  # and nothing else
_CHARACTERS_OF_TOKEN = 4  # of English, about


class Commands:
    """Does commands in a conversation."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._done: Mapping[str, Callable[[str], None]] = {
            SHELL: self._shell,
            "help": self._help,
            "reset": self._reset,
            "undo": self._undo,
            "tokens": self._tokens,
            "cost": self._cost,
            "save": self._save,
            "load": self._load,
            "jupyter": partial(self._export, "notebook"),
            "markdown": partial(self._export, "markdown"),
            "model": self._model,
            "profile": self._profile,
            "auto_run": self._auto_run,
            "verbose": self._verbose,
            "screenshot": self._screenshot,
            "info": self._info,
        }

    def do(self, magic: Magic | UnknownMagic) -> bool:
        """Do it and say what came of it; false when the person leaves."""
        if isinstance(magic, UnknownMagic):
            near = f" Did you mean %{magic.nearest}?" if magic.nearest else ""
            self._say(f'There is no command "%{magic.name}".{near} %help lists them.')
            return True
        if magic.name == "exit":
            return False
        try:
            self._done[magic.name](magic.argument)
        except (ConversationError, BadSetting, ModelError, DesktopUnavailable) as error:
            self._talk.view.say(str(error), "red")
        return True

    def names(self, command: str) -> Sequence[str]:
        """What Tab offers as the argument of a command."""
        if command == "profile":
            from computer_agent.profiles.choosing import known

            return sorted(known(self._settings.environment))
        return ("true", "false") if command in ("auto_run", "verbose", "debug") else ()

    @property
    def _settings(self) -> Settings:
        return self._talk.session.settings

    def _say(self, words: str) -> None:
        self._talk.view.say(words)

    def _shell(self, command: str) -> None:
        """A command of the person's own, on their terminal: unasked, and not told to the model."""
        if not command:
            self._say("Say which: %% ls -l")
            return
        if _CHANGES_SHELL.fullmatch(command):
            self._say(
                "Each %% command has a shell of its own, so that this would change nothing: oi works in "
                f"{self._settings.code.workspace}. Say it with the rest: %% cd FOLDER && ls"
            )
            return
        environment = self._settings.environment
        if sys.platform == "win32":
            words = [environment.get("COMSPEC") or "cmd.exe", "/c", command]
        else:
            words = [environment.get("SHELL") or "/bin/sh", "-c", command]
        self._talk.view.break_line()
        sys.stdout.flush()
        try:
            with self._talk.interrupts.aside():
                code = subprocess.run(
                    words, cwd=self._settings.code.workspace, env=dict(environment), check=False
                ).returncode
        except OSError as error:
            self._say(f'The shell "{words[0]}" cannot be started: {error.strerror}.')
            return
        if code:
            self._talk.view.say(f"(exit code {code})", "dim")

    def _help(self, _argument: str) -> None:
        for line in help_lines():
            self._say(line)

    def _reset(self, _argument: str) -> None:
        self._talk.conversation.reset()
        self._talk.transcript.begin_anew()
        self._talk.pictures.clear()
        self._say("Forgotten: a new conversation begins, and what code had set is gone.")

    def _undo(self, _argument: str) -> None:
        words = self._talk.conversation.undo()
        if words is None:
            self._say("There is no turn to take back.")
            return
        self._talk.transcript.take_back()
        self._say(f'Taken back: "{_short(words)}". What it did on this computer stays done; see `oi undo`.')

    def _tokens(self, text: str) -> None:
        if text:
            about = max(1, round(len(text) / _CHARACTERS_OF_TOKEN))
            self._say(f"These are about {about:,} tokens, by their length.")
            return
        self._say(f"{self._talk.conversation.spent.tokens:,} tokens in this conversation so far.")

    def _cost(self, _argument: str) -> None:
        from computer_agent.chat.view import readable_spent

        spent = self._talk.conversation.spent
        turns = len(self._talk.conversation.exchanges)
        self._say(
            f"{turns} turn{'' if turns == 1 else 's'}, {readable_spent(spent)}, {spent.tokens:,} tokens."
        )

    def _save(self, argument: str) -> None:
        from computer_agent.conversations.messages_file import save

        file = self._file(argument, "messages.json")
        save(self._talk.transcript.messages, file)
        self._say(f"Saved in {file}.")

    def _load(self, argument: str) -> None:
        from computer_agent.conversations.messages_file import load
        from computer_agent.conversations.resuming import remembered

        file = self._file(argument, "messages.json")
        messages = load(file)
        self._talk.conversation.reset()
        self._talk.conversation.exchanges, self._talk.conversation.past = remembered(messages)
        self._talk.transcript.replace(messages)
        turns = len(self._talk.conversation.exchanges)
        self._say(
            f"Going on with {turns} turn{'' if turns == 1 else 's'} of {file}: the model is told them in words. "
            "What code had set is gone."
        )

    def _export(self, kind: str, argument: str) -> None:
        from computer_agent.conversations.command import export

        ending = {"notebook": ".ipynb", "markdown": ".md"}[kind]
        path = self._talk.transcript.path
        file = self._file(argument, f"{'conversation' if path is None else path.stem}{ending}")
        header = Header(began=_began(path), model=self._settings.model or "", os=self._settings.os)
        files = export(
            Kept(path=path or file, header=header, messages=tuple(self._talk.transcript.messages)), kind, file
        )
        self._say(f"Written: {', '.join(map(str, files))}")

    def _file(self, argument: str, usual: str) -> Path:
        """The file that is meant, from the working folder on."""
        from computer_agent.conversations.messages_file import named_file

        return self._settings.code.workspace / named_file(argument, usual)

    def _model(self, name: str) -> None:
        if not name:
            self._say(f"{self._talk.session.model.name} decides. Another one: %model NAME")
            return
        llm = replace(self._settings.llm, local=False)
        self._use(replace(self._settings, model=name, llm=llm))

    def _use(self, settings: Settings) -> None:
        """Another model from now on. Raises ``ModelError`` and ``BadSetting``; then the old one stays."""
        from computer_agent.assemble import model_for
        from computer_agent.chat.talk import talks

        if settings.model == "steps" and not settings.os:
            raise BadSetting("Steps are for the desktop: start with oi --os --model steps.")
        model = model_for(settings, self._say)
        talks(model)
        self._talk.session.model = model
        self._talk.session.settings = settings
        self._say(f"From now on {model.name} decides.")

    def _profile(self, name: str) -> None:
        from computer_agent.profiles.choosing import known

        if not name:
            there = ", ".join(sorted(known(self._settings.environment)))
            self._say(f"The profile is {self._settings.profile or 'none'}. There are: {there}.")
            return
        settings = self._with_profile(name)
        self._use(settings)
        self._talk.session.approve(settings.approval)
        self._talk.view.verbose = settings.chat.verbose
        self._say(
            f"Of the profile its model, limits and approval ({settings.approval}) hold from now on; the rest, such as "
            f"the sandbox and the desktop, at the next start: oi --profile {name}."
        )

    def _with_profile(self, name: str) -> Settings:
        """The settings of now with the model, limits and approval of a profile. Raises ``BadSetting``."""
        from computer_agent.flags import parser
        from computer_agent.profiles.choosing import layers
        from computer_agent.settings import from_flags

        if "://" in name:
            raise BadSetting("A profile from an address is taken at the start: oi --profile ADDRESS.")
        environment = self._settings.environment
        flags = parser("").parse_args(["--profile", name])
        chosen = from_flags(flags, environment, layers(flags, environment))
        now = self._settings
        return replace(
            now,
            model=chosen.model or now.model,
            llm=chosen.llm if chosen.model else now.llm,
            limits=chosen.limits,
            approval=chosen.approval,
            chat=chosen.chat,
            profile=chosen.profile,
        )

    def _auto_run(self, argument: str) -> None:
        on = wish(argument, now=self._talk.session.mode == "all")
        if on is None:
            self._say(f'%auto_run takes true or false, not "{argument}".')
            return
        usual = self._settings.approval
        self._talk.session.approve("all" if on else "ask" if usual == "all" else usual)
        self._say(
            "Code runs unasked from now on, all but a short list of the worst."
            if on
            else "You are asked before code runs."
        )

    def _verbose(self, argument: str) -> None:
        on = wish(argument, now=self._talk.view.verbose)
        if on is None:
            self._say(f'%verbose takes true or false, not "{argument}".')
            return
        self._talk.view.verbose = on
        self._say("More is said of each step." if on else "Less is said of each step.")

    def _screenshot(self, _argument: str) -> None:
        """The screen as it is, of the conversation's desktop or of the person's own."""
        picture = self._seen()
        self._talk.view.show_picture(picture)
        self._talk.pictures.append(picture)
        self._say("The model is shown it with your next words.")

    def _seen(self) -> bytes:
        if self._settings.os:
            return self._talk.session.computer.look().png()
        from computer_agent.chat.screen import seen_now

        return seen_now(self._settings)

    def _info(self, _argument: str) -> None:
        from computer_agent.cli import version

        session, settings = self._talk.session, self._settings
        kept = self._talk.transcript.path
        rows = {
            "oi": version(),
            "model": session.model.name + _source(settings, "model"),
            "approval": session.mode + _source(settings, "approve"),
            "works on": "the whole desktop" if settings.os else "the terminal",
            "folder": str(settings.code.workspace),
            "sandbox": settings.code.sandbox,
            "kept in": str(kept) if kept else "(nothing was said yet)",
            "trace": str(session.traces[-1]) if session.traces else "(none yet)",
            "profile": settings.profile or "none",
        }
        for name, value in rows.items():
            self._say(f"  {name:<9} {value}")


def _source(settings: Settings, key: str) -> str:
    source = settings.sources.get(key)
    return f"  ({source})" if source else ""


def _began(path: Path | None) -> float:
    import time

    from computer_agent.conversations.record import read

    return time.time() if path is None else read(path).header.began


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= 60 else f"{line[:59]}…"  # noqa: PLR2004 - what fits on a line
