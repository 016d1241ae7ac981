"""What a browser shows: stage, grid, sidebar, words. May import linattn_core; never the other way."""
