"""The one place that imports litellm, which takes four seconds, and that tells it to keep to itself.

Its switches are environment variables that it reads while it is imported and later, so they are set here:
the exception to the rule that only ``computer_agent.settings`` touches the environment.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
import threading
from contextlib import suppress
from typing import Any

from computer_agent.models.model import ModelError

_SWITCHES = {
    "LITELLM_OFFLINE_MODE": "true",  # nothing is fetched but the model's own reply
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # prices come from the package
    "LITELLM_MODE": "PRODUCTION",  # no .env of the current folder gets into the environment
}


def library() -> Any:  # noqa: ANN401 - litellm ships no types
    """The module ``litellm``, imported on the first call. Raises ``ModelError`` when it is not installed."""
    os.environ.update(_SWITCHES)
    first = "litellm" not in sys.modules
    try:
        import litellm
    except ImportError as missing:
        raise ModelError(
            f'Models need the package "{missing.name or "litellm"}", which is not installed: '
            "run pip install 'oi-desktop[models]'."
        ) from missing
    if first:
        atexit.register(gc.freeze)  # to look through all of it for garbage takes seconds after the last word
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are raised; saying them twice is noise
    return litellm


def warm_up() -> threading.Thread:
    """Begin the import in the background, for when a task has been accepted; a failure shows at first use."""
    thread = threading.Thread(target=_import, name="litellm-import", daemon=True)
    thread.start()
    return thread


def _import() -> None:
    with suppress(ModelError):
        library()
