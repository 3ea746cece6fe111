from x10_jupyter.lazy.core cimport Trace, leaf, make, note_numbers
from x10_jupyter.lazy.trie cimport State
from x10_jupyter.lazy.value cimport Value
from x10_jupyter.lazy.replay cimport Known, Replay, advance

cpdef object known_call(Trace trace, object call, object tensors, object numbers)
cpdef Value known_one(Trace trace, Replay replay, object call, Value t, object numbers)
cpdef Value known_two(Trace trace, Replay replay, object call, Value t, Value u, object numbers)
cpdef Value known_many(Trace trace, Replay replay, object call, object tensors, object numbers)
cpdef Value arrive(Trace trace, State state, object numbers)
