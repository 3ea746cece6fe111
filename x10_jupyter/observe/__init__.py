"""What JAX and Python tell by themselves while a capture is open: nothing of the user's is changed, and nothing stays behind."""
