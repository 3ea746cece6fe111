from x10_jupyter.lazy.core cimport State, Trace, Value
