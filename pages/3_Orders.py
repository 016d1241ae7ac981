"""(QKᵀ)V or Q(KᵀV): why it is linear in T."""

from linattn_ui import frame, lesson, orders

settings = frame.begin("(QKᵀ)V or Q(KᵀV)")
orders.show(settings, lesson.run(settings))
lesson.end()
