from x10_jupyter.lazy.trie cimport State
from x10_jupyter.lazy.value cimport Failure, Value

cdef class Trace:
    cdef object __weakref__
    cdef public object context, cut, devices, effects, kind, last_cut, limit, owed, parted, relearn, replay, roots, start_ns, tape
    cdef public bint reduces, special, stale, watched
    cdef public dict leaf_refs, numbers
    cdef public list leaves, tensors
    cdef public long long serial
    cdef public State state

cpdef long long leaf(Trace trace, Value t) except? -4611686018427387904
cpdef long long new_leaf(Trace trace, Value t, object held) except? -4611686018427387904
cpdef Value make(Trace trace, object aval, long long ref)
cpdef object note_numbers(Trace trace, object numbers, object slot)
