"""What is declared: ``matrix.toml``, probes, known releases, and the plan that follows from them."""
