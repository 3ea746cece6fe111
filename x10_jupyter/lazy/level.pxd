from x10_jupyter.lazy.core cimport Trace, Value
