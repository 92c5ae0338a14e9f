"""What runs inside a target: only the standard library, and nothing of the harness."""
