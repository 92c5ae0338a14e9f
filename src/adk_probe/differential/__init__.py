"""The differential test of the generator: it compares random graphs on a real engine with the reference semantics."""

from adk_probe.differential.report import Failure, Report
from adk_probe.differential.running import FOLDER, run
from adk_probe.differential.targets import environment

__all__ = ["FOLDER", "Failure", "Report", "environment", "run"]
