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

cdef class Failure:
    cdef public object message

cdef class Value:
    cdef object __weakref__
    cdef public object aval, held, origin
    cdef public long long node, ref, serial

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
