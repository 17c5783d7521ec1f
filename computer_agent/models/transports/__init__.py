"""Transports: how a request reaches a provider, and what its failures mean."""
