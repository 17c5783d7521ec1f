"""Traces: what a run saw, decided and did, written as it happens, read back, and replayed."""
