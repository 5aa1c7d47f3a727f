"""Parts of scripts/test: which targets the words of its command line name, and the run of their tests."""
