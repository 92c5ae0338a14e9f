"""From text to a graph, or to findings: JSON, the shapes of each version, and scenarios."""
