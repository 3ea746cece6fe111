"""What a record looks like: functions from records to text and HTML. No JAX, no IPython, nothing is displayed here."""
