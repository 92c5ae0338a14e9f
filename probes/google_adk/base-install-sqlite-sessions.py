# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "base-install-sqlite-sessions"
# claim = "with the base install SqliteSessionService keeps a session in a file"
# engine = "google-adk"
# needs = ["google.adk.sessions.sqlite_session_service:SqliteSessionService"]
# timeout = 60
# ///
"""The environment holds the distribution and what it requires, no extras. A turn is kept in a file, and a service made
new must find its state and its events there.
"""

from __future__ import annotations

from _keeping import judge_kept
from _kit import Claim, run


def main(claim: Claim) -> None:
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    judge_kept(claim, SqliteSessionService)


if __name__ == "__main__":
    run(__file__, main)
