"""Feature maps: what φ does."""

from linattn_ui import feature_maps, frame, lesson

settings = frame.begin("Feature maps")
feature_maps.show(settings, lesson.run(settings))
lesson.end()
