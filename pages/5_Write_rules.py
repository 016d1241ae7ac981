"""Write rules: add against decay, delta, gated delta, architectures."""

from linattn_ui import frame, lesson, write_rules

settings = frame.begin("Write rules")
write_rules.show(settings)
lesson.end()
