"""Records as charts: each is a figure as plotly's JSON has it, so that plotly is needed only by whoever wants its objects."""
