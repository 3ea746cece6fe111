"""Frozen facts: what producers write and consumers read. No behaviour, no JAX."""
