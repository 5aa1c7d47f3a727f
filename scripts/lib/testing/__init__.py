"""Parts of scripts/test: the selection of test targets from the command line, and the run of their tests."""
