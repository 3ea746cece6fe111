"""Rules that read a capture and say what took its time for nothing, how that is known, and what to do."""
