cdef extern from *:
    """
    /* Instances of a class in Python are looked at by the collector whatever they are made of. They need not be where those of its base are not, since it
       adds nothing to them; CPython knows such classes (`subtype_dealloc`, \"non GC dynamic type\"), and makes none itself. To be called before the first
       instance is made. */
    static CYTHON_INLINE void leave_alone(PyObject *kind) {
        PyTypeObject *type = (PyTypeObject *)kind, *base = type->tp_base;
        if (base->tp_flags & Py_TPFLAGS_HAVE_GC || type->tp_basicsize != base->tp_basicsize) return;
        type->tp_flags &= ~Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = NULL;
        type->tp_clear = NULL;
        type->tp_free = PyObject_Free;
    }
    """
    void leave_alone(object kind)

cdef class Failure:
    cdef public object message

cdef class Value:
    cdef object __weakref__
    cdef public object aval, held, origin
    cdef public long long node, ref, serial
