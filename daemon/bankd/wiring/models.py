"""Choosing a language model: find its program or server, try it once, write the settings, say what a week of logs would take."""

from __future__ import annotations

import json
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from bankd.app.distil import DistilPlan, plan_distilling
from bankd.config.workspace import SETTINGS, change_settings, load_usable_settings
from bankd.errors import UserError
from bankd.night.believe import verify_trial
from bankd.settings import DistilPolicy
from bankd.system.clock import read_monotonic
from bankd.wiring.probing import ask_daemon
from bankd.wiring.workspace import open_workspace
from bankd.workers.model_worker import find_agent
from bankd.workers.models import request_of, start_child

OLLAMA = "http://127.0.0.1:11434"
_GRACE, _A_WEEK = 5.0, 7
_INSTALL = {
    "claude": "npm install -g @anthropic-ai/claude-code, then type claude and sign in",
    "codex": "npm install -g @openai/codex, then type codex and sign in",
    "gemini": "npm install -g @google/gemini-cli, then type gemini and sign in",
}


class TriedModel(NamedTuple):
    """The result of trying a model: seconds, tokens (None if it does not report them), US dollars, whether it passed the trial."""

    seconds: float
    tokens: int | None
    cost: float
    is_passed: bool


def settings_for(name: str, model: str, before: DistilPolicy) -> DistilPolicy:
    """The settings that name this model; if it is not available here, UserError with what to do."""
    own = before._replace(provider=name, model=model, url="", key_variable="", command="")
    if name == "off":
        return own
    if find_spec("jsonschema") is None:
        raise UserError("jsonschema is not installed; pip install 'bankd[model]'")
    if name == "ollama":
        return own._replace(provider="openai", url=f"{OLLAMA}/v1", model=model or _model_of_ollama())
    program = find_agent(own)
    if program is None:
        raise UserError(f"the program {name} is not there; {_INSTALL[name]}")
    return own._replace(command=program)


def _model_of_ollama() -> str:
    try:
        with urlopen(f"{OLLAMA}/api/tags", timeout=5) as answer:  # noqa: S310 -- an address of ours
            found = json.load(answer)["models"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"no Ollama answers at {OLLAMA} ({error}); start it with: ollama serve") from error
    if not found:
        raise UserError("Ollama has no model; get one with: ollama pull qwen3:8b")
    return str(found[0]["name"])


def try_model(settings: DistilPolicy) -> TriedModel:
    """Ask the model once, with the trial of known true and false lines; UserError with the reason if it does not answer."""
    trial, began = verify_trial(is_korean=False), read_monotonic()
    with closing(start_child(settings, read_monotonic)) as child:
        told = child.ask(request_of(trial.prompt), seconds=settings.seconds + _GRACE)
    if "value" not in told:
        why = told.get("problem") or f"its answer cannot be used: {told.get('invalid')}"
        raise UserError(f"{why}; nothing was changed")
    tokens = told.get("tokens")
    seconds, took = read_monotonic() - began, sum(tokens) if tokens else None
    return TriedModel(seconds, took, float(told.get("cost") or 0), trial.is_passed(told["value"]))


def write_model(root: Path, settings: DistilPolicy) -> str:
    """Write the settings that name a model, and have a running daemon read them; gives its message. ConfigError, UserError."""
    before = load_usable_settings(root / SETTINGS)[0].distil
    names = ("provider", "model", "url", "key_variable", "command")
    new = {name: getattr(settings, name) for name in names if getattr(settings, name) != getattr(before, name)}
    change_settings(root / SETTINGS, {f"distil.{name}": value for name, value in new.items()})
    return str((ask_daemon(root, {"op": "reload"}) or {}).get("problem", ""))


def plan_week(root: Path) -> DistilPlan:
    """What distilling the logs of the last week would send, whether a model has read them or not."""
    with open_workspace(root, write=False) as workspace:
        workspace.settings = workspace.settings._replace(distil=workspace.settings.distil._replace(days=_A_WEEK))
        return plan_distilling(workspace, only_prose=True, is_anew=True)
