from x10_jupyter.lazy.core cimport Trace
from x10_jupyter.lazy.value cimport Value
