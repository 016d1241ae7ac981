"""Feature maps: what φ does."""

from linattn_ui import feature_maps, frame, lesson, state

settings = frame.begin("Feature maps")
feature_maps.show(settings, lesson.run(settings))
state.write_address()
