"""The agent: it decides, asks, records and shows. ``computer_agent.loop`` is the file to read first."""
