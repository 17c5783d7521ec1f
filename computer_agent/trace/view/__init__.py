"""A trace as one HTML file that works offline: what was seen, decided and done, step by step.

``salvage`` reads what is left of a damaged trace, ``folding`` makes it what the page shows, ``pictures`` puts the
pictures in, ``writing`` the file together; ``page/`` is the page itself, as files of its own.
"""

from computer_agent.trace.view.command import view

__all__ = ["view"]
