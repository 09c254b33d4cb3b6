"""What several tests of this folder need: contacts by profile name, poses, forces."""

import functools

import numpy as np
from scipy.spatial.transform import Rotation

from panhead.railway.vehicle import RailContactLaw, WheelRailContact, Wheels, read_profile
from panhead.railway.vehicle.kernels.wheel_rail import wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import CONTACTS, RECORD


@functools.cache
def contact_of(wheel="s1002", law="johnson-vermeulen", tabulated=True):
    wheels = Wheels(profile=read_profile(wheel))
    return WheelRailContact(wheels=wheels, law=RailContactLaw(law=law), tabulated=tabulated)


def rotation(yaw=0.0, roll=0.0):
    return Rotation.from_euler("ZX", [yaw, roll]).as_matrix()


def force_at(packed, p, R, v=(20.0, 0.0, 0.0), w=(0.0, 43.5, 0.0), rail=None):
    """(wrench (6,), counts, status (2,), records) of both wheels."""
    out, status = np.zeros(6), np.zeros(2, dtype=np.int64)
    records = np.zeros((2, CONTACTS, RECORD))
    rail = np.zeros((2, 4)) if rail is None else np.asarray(rail, dtype=float)
    args = [np.array(a, dtype=float) for a in (p, R, v, w)]
    counts = wheel_rail_force(packed, *args, rail, records, status, out)
    return out, counts, status, records
