cimport cython

cdef extern from "Python.h":
    Py_ssize_t reference_count "Py_REFCNT"(object)

cpdef list counts(list items)

@cython.locals(dead=Py_ssize_t, place=Py_ssize_t)
cpdef tuple held(list items)

@cython.locals(dead=Py_ssize_t, place=Py_ssize_t)
cpdef tuple alone(list items)
