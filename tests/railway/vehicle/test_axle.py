"""A wheelset among bodies: its own equations, and the rails' hand-written force on it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from panhead.engine.bodies import RigidBody
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.native_rows import directory
from panhead.errors import ModelError
from panhead.railway.vehicle import Track, TrackSection, aboard, central_height
from panhead.railway.vehicle.axle import OnRails, RollingWheelset
from panhead.railway.vehicle.kernels.wheel_rail_world import track_force
from railway.vehicle.builders import contact_of

SPEED = 20.0


def on_rails(wheel="s1002"):
    contact = contact_of(wheel)
    height = central_height(contact.wheels, contact.rails)
    body = RollingWheelset(
        name="axle",
        mass=1500.0,
        inertia=800.0,
        spin_inertia=100.0,
        position=(5.0, 0.0, height - 1e-4),
        velocity=(SPEED, 0.0, 0.0),
        turn_rate=SPEED / height,
    )
    track = Track(sections=(TrackSection(length=500.0),)).arrays()
    rails = OnRails(name="rails", wheelset=body, contact=contact.packed(), track=track, place=5.0)
    return Model(name="one axle", items=(body, rails)).system(), rails


def moved(system):
    q = system.start.q + [0.0, 0.001, 0.0, 0.002, 0.0005, 0.3]
    return q, system.start.v + [0.0, 0.01, 0.01, 0.03, 0.02, 0.1]


def test_the_row_gives_the_force_of_the_kernel_in_its_coordinates():
    """Q = (F, Jᵀ M) with ω = J α̇ written out here by rotations."""
    system, rails = on_rails()
    q, v = moved(system)
    R = Rotation.from_euler("ZX", q[3:5]).as_matrix()
    J = np.column_stack([[0, 0, 1], [np.cos(q[3]), np.sin(q[3]), 0], R[:, 1]])
    out = np.zeros(6)
    track_force(rails.track, rails.contact, q[:3], R, v[:3], J @ v[3:], 5.0, aboard(), out)
    ours = system.force(0.0, q, v, np.zeros(0))
    body = Model(name="alone", items=(rails.wheelset,)).system()
    ours = ours - body.force(0.0, q, v, np.zeros(0))
    np.testing.assert_allclose(ours, [*out[:3], *(J.T @ out[3:])], rtol=1e-10, atol=1e-6)


@pytest.mark.parametrize("by", ["q", "v"])
def test_the_tangent_is_the_derivative_of_the_force(by):
    """Differences of a force that is itself differentiated by steps of 1e-8: five digits."""
    system, _ = on_rails()
    x = dict(zip("qv", moved(system), strict=True))
    exact = (system.force_q if by == "q" else system.force_v)(0.0, x["q"], x["v"], np.zeros(0))
    numeric = np.zeros((6, 6))
    for k in range(6):
        step = np.zeros(6)
        step[k] = 1e-7
        ends = [system.force(0.0, **(x | {by: x[by] + s * step}), u=np.zeros(0)) for s in (1, -1)]
        numeric[:, k] = (ends[0] - ends[1]) / 2e-7
    assert np.abs(exact.toarray() - numeric).max() < 5e-5 * np.abs(numeric).max()


def test_energy_of_a_rolling_wheelset_is_accounted_for():
    """What is lost is lost by creep and damping; the ledger closes to the trapezoidal rule's error."""
    system, _ = on_rails("cone-1-20")
    q, _ = equilibrium(system, system.start.q)
    q[1] = 0.002
    motion = simulate(system, State(q=q, v=system.start.v), duration=1.0, dt=2e-4, method=GeneralizedAlpha())
    energy = [sum(system.energy(t, *x)) for t, *x in zip(motion.t, motion.q, motion.v, strict=True)]
    driven, controlled, lost = motion.work[-1]
    assert controlled == 0.0
    assert lost > 1.0
    assert abs(energy[-1] - energy[0] - driven + lost) < 0.01 * lost


def test_it_swings_like_a_rigid_body_of_the_same_inertia():
    """Free flight with spin: Euler parameters and the axle's own angles give the same axis."""
    axle = RollingWheelset(name="a", mass=10.0, inertia=3.0, spin_inertia=5.0, velocity=(1.0, 0.0, 2.0), turn_rate=7.0)
    body = RigidBody(name="b", mass=10.0, inertia=(3.0, 5.0, 3.0), velocity=(1.0, 0.0, 2.0), spin=(0.4, 7.0, 0.3))
    one, two = (Model(name="free", items=(x,)).system() for x in (axle, body))
    v = one.start.v.copy()
    v[3:6] = 0.3, 0.4, 7.0  # ω = ψ̇ e_z + φ̇ e_x + χ̇ e_y at upright axes
    method = GeneralizedAlpha(spectral_radius=1.0)
    ends = [
        simulate(system, State(q=system.start.q, v=rate), duration=0.5, dt=2e-4, method=method).q[-1]
        for system, rate in ((one, v), (two, two.start.v))
    ]
    yaw, roll = ends[0][3:5]
    axis = [-np.sin(yaw) * np.cos(roll), np.cos(yaw) * np.cos(roll), np.sin(roll)]
    e = ends[1][3:]
    turned = Rotation.from_quat([*e[1:], e[0]]).as_matrix()[:, 1]
    np.testing.assert_allclose(axis, turned, atol=1e-6)  # second order at 7 rad/s · 0.2 ms
    np.testing.assert_allclose(ends[0][:3], ends[1][:3], atol=1e-9)


def test_hand_written_rows_say_what_they_cannot():
    system, _ = on_rails()
    z = np.zeros(6)
    with pytest.raises(ModelError, match="no derivatives with respect to its parameters"):
        system.residual_p(0.0, system.start.q, z, z, np.zeros(0), np.zeros(0))


def test_a_directory_holds_scalars_by_bits_and_arrays_by_address():
    array = np.arange(6.0).reshape(2, 3)
    block = directory((2.5, array), True)
    assert block[:1].view(float)[0] == 2.5
    assert list(block[1:]) == [array.ctypes.data, 2, 3, 1, 1]
    with pytest.raises(ModelError, match="contiguous"):
        directory(array.T)
