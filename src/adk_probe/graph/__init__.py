"""The Graph IR: its types, how files are read, which rules a graph follows, and what a graph means."""
