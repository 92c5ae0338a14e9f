"""The console command; the only modules that print."""
