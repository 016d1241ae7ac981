"""What a fixed-size state mixes: what fixed size costs."""

from linattn_ui import frame, lesson, mixing

settings = frame.begin("What a fixed-size state mixes")
mixing.show(settings, lesson.run(settings))
lesson.end()
