"""Compiled versions of the laws in ``panhead.engine.laws`` for kernels, from the same source."""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.laws import contact, hermite, unilateral_spring

_compiled = part()

engaged = _compiled(unilateral_spring.pulls)
tension = _compiled(unilateral_spring.tension)
spring_potential = _compiled(unilateral_spring.energy)
contact_potential = _compiled(contact.energy)
lankarani_nikravesh = _compiled(contact.lankarani_nikravesh)
shape = _compiled(hermite.shape)
shape_x = _compiled(hermite.shape_x)
shape_xx = _compiled(hermite.shape_xx)
interpolate = _compiled(hermite.interpolate)
interpolate_x = _compiled(hermite.interpolate_x)
