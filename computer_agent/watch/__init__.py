"""`oi watch`: a private desktop live in the browser, to look at and to use.

command.py   which desktop, which port, until when
serving.py   one desktop's parts put together
server.py    who may ask, and for what
view.py      what there is to see, told only when it is new
hands.py     one viewer at a time has the mouse and the keyboard
inputs.py    what a page sends, as something to do on a desktop
bridge.py    WebSocket <-> VNC
page/        what the browser gets
"""

from computer_agent.watch.command import watch

__all__ = ["watch"]
