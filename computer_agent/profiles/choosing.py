"""Which files of settings hold in a run: the profile that is named, by name, path or address, over the config file.

A profile from the internet is shown and agreed to before it holds, and cannot make oi laxer than the person did.
"""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_agent.approval.code.visible import visible
from computer_agent.code_settings import BadSetting
from computer_agent.hosts import served_here
from computer_agent.options import BY_KEY
from computer_agent.profiles.folders import SHIPPED, config_file, profiles_folder
from computer_agent.profiles.reading import MOST_BYTES, SUFFIXES, kind_of, parse, read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from computer_agent.options import Layer

_SECONDS = 10.0
_OK = 200
_STRICTER: Mapping[str, tuple[object, ...]] = {
    "approve": ("plan", "never"),
    "safe_mode": ("ask",),
    "access": ("read-only",),
    "network": ("off",),
    "offline": (True,),
    "share": ("ask", "wait"),
}
"""What a profile from the internet may say of these."""
_NEVER = ("api_key", "python", "languages", "writable", "workspace", "sandbox")
_FILES = ("custom_instructions", "system_message")  # with "@" they would send a file of the person's


def _nobody(_question: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a person is shown something and asked; ``ask`` gives ``None`` where nobody can be.

    ``secret`` is the same for an answer that is not shown while it is typed.
    """

    ask: Callable[[str], str | None] = _nobody
    secret: Callable[[str], str | None] = _nobody
    say: Callable[[str], None] = field(default=lambda _text: None)


def layers(
    flags: argparse.Namespace, environment: Mapping[str, str], asking: Asking | None = None
) -> tuple[Layer, ...]:
    """The settings of files that hold beside these flags, the strongest first. Raises ``BadSetting``."""
    file = config_file(environment)
    config = _config(file) if file.is_file() else None
    kept = {} if config is None else config.values
    name = flags.profile or environment.get(BY_KEY["profile"].variable or "") or kept.get("profile")
    if not name:
        return () if config is None else (config,)
    offline = bool(flags.offline or kept.get("offline"))
    profile = named(str(name), environment, asking or Asking(), offline=offline)
    return tuple(layer for layer in (profile, config) if layer is not None)


def _config(file: Path) -> Layer:
    """The config file, with a note where others can read the key in it."""
    config = read(file)
    if "api_key" in config.values and sys.platform != "win32" and file.stat().st_mode & 0o077:
        note = (
            f'{config.place("api_key")}: others here can read the key. Only you can after: chmod 600 "{file}"'
        )
        return replace(config, notes=(*config.notes, note))
    return config


def named(name: str, environment: Mapping[str, str], asking: Asking, *, offline: bool = False) -> Layer:
    """The profile of that name, in that file, or at that address. Raises ``BadSetting``."""
    profile = _from_address(name, asking, offline=offline) if "://" in name else _from_file(name, environment)
    if "profile" in profile.values:
        raise BadSetting(f"{profile.place('profile')}: a profile cannot name another; the config file can.")
    return profile


def known(environment: Mapping[str, str]) -> dict[str, Path]:
    """The profiles there are, by name: the person's own before the shipped ones."""
    found: dict[str, Path] = {}
    for folder in (profiles_folder(environment), SHIPPED):
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        for file in files:
            if file.suffix.lower() in SUFFIXES:
                found.setdefault(file.stem, file)
    return found


def _from_file(name: str, environment: Mapping[str, str]) -> Layer:
    if name.startswith("i.com/"):
        raise BadSetting(
            f'"{name}" is short for an address of Open Interpreter\'s. Say the whole address, https://...'
        )
    path = Path(name).expanduser()
    if path.suffix.lower() in (*SUFFIXES, ".py") or "/" in name or "\\" in name:
        beside = profiles_folder(environment) / name
        found = path if path.exists() or len(path.parts) > 1 or not beside.exists() else beside
        return read(found, f'profile "{found}"')
    there = known(environment)
    if name in there:
        return read(there[name], f'profile "{name}" ({there[name]})')
    if (profiles_folder(environment) / f"{name}.py").exists():
        kind_of(f"{name}.py")
    near = difflib.get_close_matches(name, there, n=1)
    hint = f' The nearest is "{near[0]}".' if near else ""
    raise BadSetting(f'There is no profile "{name}".{hint} There are: {", ".join(sorted(there))}.')


def _from_address(address: str, asking: Asking, *, offline: bool) -> Layer:
    """Fetch the profile, show it and ask; what was shown is what holds."""
    name = PurePosixPath(urlsplit(address).path).name or "profile"
    file = name if PurePosixPath(name).suffix else f"{name}.toml"
    kind_of(file)
    if offline:
        raise BadSetting(
            f'The profile "{address}" is somewhere on the internet, and --offline keeps away from it.'
        )
    source = f'profile "{address}"'
    content = _fetched(address)
    profile = parse(content, file, source)
    _check_stricter(profile)
    lines = content.decode("utf-8-sig").splitlines()
    asking.say("\n".join([f"The {source} says:", "", *(f"  {visible(line)}" for line in lines), ""]))
    answer = asking.ask("Use these settings for this run? [y/N] ")
    if answer is None:
        raise BadSetting(
            f"A {source} is shown and agreed to on a terminal before it holds, and nobody can be asked here. "
            "Keep it as a file, and name that."
        )
    if answer.strip().casefold() not in {"y", "yes"}:
        raise BadSetting(f"The {source} was not agreed to, so nothing was done.")
    return profile


def _fetched(address: str) -> bytes:
    if not address.startswith("https://") and not (address.startswith("http://") and served_here(address)):
        raise BadSetting(f'A profile is fetched from an https address, not from "{address}".')
    import httpx

    try:
        with (
            httpx.Client(timeout=_SECONDS, trust_env=not served_here(address)) as client,
            client.stream("GET", address) as response,
        ):
            content = b""
            for piece in response.iter_bytes():
                content += piece
                if len(content) > MOST_BYTES:
                    break
            status = response.status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BadSetting(
            f'The profile "{address}" cannot be fetched: {str(error) or type(error).__name__}.'
        ) from None
    if status != _OK:
        raise BadSetting(f'The profile "{address}" cannot be fetched: the server answered {status}.')
    return content


def _check_stricter(profile: Layer) -> None:
    """Raise ``BadSetting`` for what would let more happen than the person did, or send what is theirs elsewhere."""
    for key, value in profile.values.items():
        refused = (
            key in _NEVER
            or (key in _STRICTER and value not in _STRICTER[key])
            or (key in _FILES and str(value).startswith("@"))
            or (key == "api_base" and not served_here(str(value)))
            or (key == "grounder" and "@" in str(value) and not served_here(str(value).partition("@")[2]))
        )
        if refused:
            raise BadSetting(
                f'{profile.place(key)}: a profile from the internet may not set "{key}" to "{visible(str(value))}". '
                "Say it yourself, or look through the profile and keep it as a file."
            )
