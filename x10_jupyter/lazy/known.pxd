cimport cython
from x10_jupyter.lazy.checks cimport is_current
from x10_jupyter.lazy.core cimport Trace
from x10_jupyter.lazy.operators cimport known_call

cdef class Last:
    cdef public list given
    cdef public tuple names, numbers
    cdef public object call

cdef class Calls:
    cdef public dict known
    cdef public int doubts
    cdef public Last last

cpdef object like_before(Trace trace, object checks, Calls calls, tuple args, dict kwargs)
@cython.locals(place=Py_ssize_t, first=Py_ssize_t)
cpdef object like_last(Last last, object kind, tuple args, dict kwargs)
cpdef bint is_like(object x, object before, object kind, list tensors) except -1
cpdef bint is_same(tuple x, tuple y) except -1
