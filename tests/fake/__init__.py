"""A fake engine, a fake package index and a project that probes it: the pipeline, offline and in seconds."""
