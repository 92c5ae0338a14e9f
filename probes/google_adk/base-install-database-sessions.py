# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "base-install-database-sessions"
# claim = "with the base install DatabaseSessionService keeps a session in SQLite, as its documentation shows"
# engine = "google-adk"
# needs = []
# timeout = 60
# ///
"""The environment holds the distribution and what it requires, no extras. A turn is kept in a file, and a service made
new must find its state and its events there.

No symbol is needed: where the service is there and its dependency is not, it is the import that fails.
"""

from __future__ import annotations

from typing import Any

from _keeping import judge_kept
from _kit import Claim, Refuted, run


def main(claim: Claim) -> None:
    try:
        from google.adk.sessions import DatabaseSessionService
    except ImportError as error:
        # The engine names SQLAlchemy, and what is missing may be what SQLAlchemy needs itself.
        first: BaseException = error
        while first.__cause__ or first.__context__:
            first = first.__cause__ or first.__context__  # type: ignore[assignment]
        why = [f"{type(each).__name__}: {str(each).split(' (')[0]}" for each in (error, first)]
        claim.fact("import", why)
        raise Refuted(f"it does not import: {why[0]} The first of its causes: {why[1]}") from error

    def service(file: str) -> Any:
        # The driver was asked of SQLAlchemy by its plain name before the service became asynchronous.
        try:
            return DatabaseSessionService(f"sqlite+aiosqlite:///{file}")
        except Exception as error:
            claim.fact("with_the_driver_named", f"raised {type(error).__name__}")
            return DatabaseSessionService(f"sqlite:///{file}")

    judge_kept(claim, service)


if __name__ == "__main__":
    run(__file__, main)
