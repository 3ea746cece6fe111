"""The ground floor: errors, clocks, units, frames, settings. Standard library only."""
