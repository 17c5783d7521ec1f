"""One file for each language that the terminal runs, and the workers that run inside their processes."""
