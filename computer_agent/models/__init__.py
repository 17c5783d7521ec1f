"""Models: what decides. One file a dialect; each only translates."""
