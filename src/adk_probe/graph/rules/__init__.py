"""The validator: rules that look at a graph that could be read, and report findings."""
