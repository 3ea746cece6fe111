"""Whether JAX is tracing, what it traces with, and whether an error means that a value is needed now."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager

import jax
from jax.core import Tracer

from x10_jupyter.jax_gate.private import Private, private

FIX = "Install a JAX that this package was tried with: jax 0.10.2 (Python 3.11) or 0.12.0.1."

CONCRETIZATION_ERRORS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)
"""What JAX raises when a function needs values: public, and ``TracerBoolConversionError`` is a ``ConcretizationTypeError``."""

FILTERING: Private = private("jax._src.config", "traceback_filtering", fix=FIX)
"""The setting whether frames of JAX are hidden."""

TRACER_WORDS = re.compile(r"Tracer|\btrace[rd]\b|concrete|__dlpack__|__hash__")
"""What an error speaks of that a concrete array might not have met."""


def cheap_errors() -> AbstractContextManager[None]:
    """Within it JAX hides none of its frames in tracebacks, which takes it most of the time of an error; for errors that nobody will see.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError on import.
    """
    return FILTERING("off")


def is_tracer(value: object) -> bool:
    """Whether the value stands for an argument of a function that JAX traces."""
    return isinstance(value, Tracer)


def mapped_axis(tracer: Private) -> int | None:
    """Along which axis of an array ``vmap`` goes that has put a tracer in its place.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None.

    Returns:
        None if it is no tracer of ``vmap``.
    """
    axis = getattr(tracer, "batch_dim", None)
    return axis if isinstance(axis, int) else None


def trace_state_clean() -> bool:
    """Whether this thread is outside every transformation of JAX.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError.
    """
    return bool(STATE_CLEAN())


STATE_CLEAN = private("jax._src.core", "trace_state_clean", fix=FIX)
TRACE_CONTEXT = private("jax._src.core", "trace_ctx", fix=FIX)


def is_leaked(tracer: object) -> bool:
    """Whether the tracer's function is no longer being traced on this thread, so that JAX refuses to compute with it.

    JAX marks only some traces as ended (those of ``vmap``), so the traces under way are looked through instead: each knows the one around it.
    Tried on jax 0.10.2 and 0.12.0.1 with ``jit``, ``grad``, ``jvp``, ``linearize``, ``vmap``, ``scan``, ``cond``, ``checkpoint`` and
    ``make_jaxpr`` inside one another.

    Returns:
        False for what is no tracer, and for a tracer of which it cannot be told.
    """
    if not is_tracer(tracer):
        return False
    trace = getattr(tracer, "_trace", None)
    under_way = list(traces_under_way())
    told = trace is not None and bool(under_way) and type(under_way[-1]).__name__ == "EvalTrace"
    return told and not any(trace is each or trace is getattr(each, "tangent_trace", None) for each in under_way)


def traces_under_way() -> Iterator[Private]:
    """The traces this thread is in, from the innermost to the outermost."""
    trace = getattr(TRACE_CONTEXT, "trace", None)
    while trace is not None:
        yield trace
        trace = getattr(trace, "parent_trace", None)


def is_concretization_error(error: BaseException) -> bool:
    """Whether JAX says by this error that a function needs concrete values and so cannot be traced.

    It has classes for that, but not everything uses them: shapes, static parameters and what leaves JAX for Python only speak of tracers.
    """
    if isinstance(error, CONCRETIZATION_ERRORS):
        return True
    if isinstance(error, AttributeError) and not hasattr(jax.Array, str(error).rpartition(" ")[2].strip("'\".")):
        return False  # a name that no array has, either
    speaks = isinstance(error, TypeError | ValueError | AttributeError) and not isinstance(error, jax.errors.UnexpectedTracerError)
    return speaks and TRACER_WORDS.search(str(error)) is not None
