"""Makes evidence: environments, the process that asks in them, and the schedule of a run."""
