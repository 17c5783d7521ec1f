"""What ``computer_agent.interpreter`` is made of: the object that Open Interpreter's users know, on our own floors."""
