"""What this project needs beside the engine."""
