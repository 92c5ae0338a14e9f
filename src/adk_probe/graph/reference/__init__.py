"""The interpreter that defines what a graph means."""
