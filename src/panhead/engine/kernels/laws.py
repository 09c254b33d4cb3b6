"""The laws of ``panhead.engine.laws`` compiled, for kernels to call: the same functions, nothing written again."""

from __future__ import annotations

from panhead.engine.jit.compiling import part
from panhead.engine.laws import contact, dropper, hermite

_compiled = part()

engaged = _compiled(dropper.engaged)
tension = _compiled(dropper.tension)
dropper_potential = _compiled(dropper.energy)
contact_potential = _compiled(contact.energy)
lankarani_nikravesh = _compiled(contact.lankarani_nikravesh)
shape = _compiled(hermite.shape)
shape_x = _compiled(hermite.shape_x)
shape_xx = _compiled(hermite.shape_xx)
interpolate = _compiled(hermite.interpolate)
interpolate_x = _compiled(hermite.interpolate_x)
