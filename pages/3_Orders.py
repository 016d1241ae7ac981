"""(QKᵀ)V or Q(KᵀV): why it is linear in T."""

from linattn_ui import frame, lesson, orders, state

settings = frame.begin("(QKᵀ)V or Q(KᵀV)")
orders.show(settings, lesson.run(settings))
state.write_address()
