"""Models on this machine: which servers run, what their models can do, and the menu that lets a person choose."""
