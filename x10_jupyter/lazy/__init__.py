"""The lazy-tensor runtime: operations are recorded, cut at a barrier, compiled once and run as one program."""
