"""Evidence of which ways of building an agent loop work, release by release."""
