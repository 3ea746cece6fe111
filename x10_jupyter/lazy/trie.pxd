cdef class State:
    cdef object __weakref__
    cdef public State after
    cdef public object call, taped_call
    cdef public int count, taped_count
    cdef public bint taped_one, taped_two
    cdef public long long first, second, taped_first, taped_second
    cdef public object taped_after
    cdef public long long ref, slot
    cdef public object aval
    cdef public dict next, taped
    cdef public object parent, key, op, home, site, programs, jumps, revisions, depth
