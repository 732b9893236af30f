"""Programs that are run by hand: figures of speed, fuzzers, long runs."""
