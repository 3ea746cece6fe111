"""See what XLA does under a notebook cell; write eager code and run it as one program.

Import as ``import x10_jupyter as x10``.
"""
