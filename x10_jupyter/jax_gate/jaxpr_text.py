"""What JAX prints of a program that it has traced."""

from x10_jupyter.jax_gate.private import Private


def jaxpr_text(jaxpr: Private) -> str:
    """The text of a jaxpr, the same everywhere: in a notebook and in a terminal JAX would colour it. Tried on jax 0.10.2 and 0.12.0.1."""
    return jaxpr.pretty_print(use_color=False)
