"""One rule a file: a pure function from a capture to claims. A rule knows no other."""
