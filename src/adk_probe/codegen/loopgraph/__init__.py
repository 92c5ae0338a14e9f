"""Projects on LoopGraph: the mechanism, how it draws a graph, and the support code that they carry."""

ENGINE = "loopgraph"
