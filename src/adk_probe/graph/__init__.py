"""The Graph IR: its types, how files are read, what must hold, and what a graph means."""
