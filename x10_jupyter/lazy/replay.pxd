from x10_jupyter.lazy.core cimport Trace, leaf, make, note_numbers
from x10_jupyter.lazy.trie cimport State
from x10_jupyter.lazy.value cimport Value

cdef class Known:
    cdef public State state
    cdef public object aval
    cdef public long long node
    cdef public list empty
    cdef public bint is_simple
    cdef public object avals, nodes, op

cdef class Jump:
    cdef public State end
    cdef public list empty, gradients, places

cdef class Replay:
    cdef public long long base, bound, end, serial
    cdef public object bit, marked, start, tape
    cpdef bint is_own(self, Value t)
    cpdef object ref_of(self, Trace trace, Value t)

cpdef Value advance(Trace trace, long long base, Known known)
