"""Skills: recorded runs, and plain-English steps, kept under a name and done again with other values."""
