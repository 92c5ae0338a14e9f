"""Where evidence and code generation meet: the choice of a mechanism, ``generated/``, fidelity's jobs."""
