"""Step through: how one token changes the state and is read."""

from linattn_ui import frame, walk

walk.show(frame.begin("Step through"))
