"""`python -m computer_agent` is `oi`."""

import sys

from computer_agent.cli import main

if __name__ == "__main__":
    sys.exit(main())
