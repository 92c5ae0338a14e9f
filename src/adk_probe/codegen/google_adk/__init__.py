"""Projects on google-adk: what they share, a module a mechanism, and the support code that they carry."""

ENGINE = "google-adk"
