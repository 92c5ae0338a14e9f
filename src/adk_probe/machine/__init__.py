"""What this machine has and knows: its own state below ``.adk-probe``, its locks, its surroundings."""
