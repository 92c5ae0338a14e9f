"""What was seen and what follows from it: results, freshness, verdicts, the gate, what is allowed."""
