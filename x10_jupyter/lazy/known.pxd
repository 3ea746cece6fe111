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

cpdef object like_before(Trace trace, object checks, Calls calls, object args, object kwargs)
cpdef object like_last(Last last, object kind, object args, object kwargs)
cpdef bool is_same(object x, object y)
