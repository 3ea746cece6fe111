"""The notebook's door: parse, call session, display. The only floor that knows IPython."""
