"""The one door to those parts of JAX that are private or differ between its versions."""
