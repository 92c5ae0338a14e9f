"""What ``adk-probe new`` writes: the skeleton of a probe, a graph, a mechanism or an engine, valid but for its work."""
