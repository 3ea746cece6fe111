cpdef object is_current(object checks)
