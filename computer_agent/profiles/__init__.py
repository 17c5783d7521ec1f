"""Profiles and the config file: settings that stand in files, read and never run."""
