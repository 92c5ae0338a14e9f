"""The differential test of the generator: it compares random graphs on a real engine with the reference semantics."""

from adk_probe.differential.running import FOLDER, Failure, Report, run
from adk_probe.differential.targets import environment

__all__ = ["FOLDER", "Failure", "Report", "environment", "run"]
