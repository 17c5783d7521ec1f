"""Conversations as they are kept: written while they happen, listed, searched, gone on with, taken elsewhere."""
