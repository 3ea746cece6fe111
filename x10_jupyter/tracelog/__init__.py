"""What was cut, as text: the trace log, how graphs change, programs that failed or were slow. Made of records, without JAX."""
