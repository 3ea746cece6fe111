"""Counters and metrics, as X10 and PyTorch/XLA report them: folded from events, written and read in several styles. Standard library only."""
