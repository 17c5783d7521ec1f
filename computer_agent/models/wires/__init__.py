"""Wires: the forms that providers take requests and give replies in; one file a protocol."""
