"""Compare with softmax: where two scoring rules differ."""

from linattn_ui import compare, frame, lesson

settings = frame.begin("Compare with softmax")
compare.show(settings, lesson.run(settings))
lesson.end()
