"""Wheel–rail forces of a wheelset along a given motion."""

from __future__ import annotations

import math

import numpy as np

from panhead.engine.jit.compiler import allocating, whole
from panhead.railway.vehicle.kernels.track_frame import on_track
from panhead.railway.vehicle.kernels.wheel_rail import LIFTED, wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import CREEP_X, CREEP_Y, FORCE_N, FORCE_X, FORCE_Y, NY, NZ
from panhead.railway.vehicle.kernels.wheel_rail_world import enter_track

PLACE, LATERAL, HEIGHT, YAW, ROLL, INSIDE = range(6)  #: columns of where
F_X, F_Y, F_Z, WEAR, CONTACTS_NOW = range(5)  #: columns of forces


@whole
def _axes(yaw, roll, R):
    cy, sy, cr, sr = math.cos(yaw), math.sin(yaw), math.cos(roll), math.sin(roll)
    R[0, 0], R[1, 0], R[2, 0] = cy, sy, 0.0
    R[0, 1], R[1, 1], R[2, 1] = -sy * cr, cy * cr, sr
    R[0, 2], R[1, 2], R[2, 2] = sy * sr, -cy * sr, cr


@allocating
def observe_wheelset(track, wr, room, place, q, v, where, forces, status):
    """Evaluate rail forces along a motion q, v (n, 6) of x, y, z, yaw, roll, turn, from a guess of the track position.

    where (n, 6)      place along the track [m]; lateral, height [m], yaw, roll [rad] of the axle in the track
                      frame; 1 while the track is there
    forces (n, 2, 5)  left and right wheel: force on the wheel along, across, up in the track frame [N]; power
                      lost per way, |F·creep| [N]; number of contacts
    status (n, 2)     TREAD, FLANGE, LIFTED, DERAILED
    """
    R, w = np.empty((3, 3)), np.empty(3)
    for t in range(q.shape[0]):
        _axes(q[t, 3], q[t, 4], R)
        for k in range(3):
            w[k] = R[k, 0] * v[t, 4] + R[k, 1] * v[t, 5]
        w[2] += v[t, 3]
        place = enter_track(track, wr.geometry.lever, q[t, :3], R, v[t, :3], w, place, room)
        where[t, PLACE], where[t, LATERAL], where[t, HEIGHT] = place, room.p[1], room.p[2]
        where[t, YAW] = math.atan2(-room.R[0, 1], room.R[1, 1])
        where[t, ROLL] = math.asin(max(-1.0, min(1.0, room.R[2, 1])))
        where[t, INSIDE] = 1.0 if on_track(track, place) else 0.0
        forces[t] = 0.0
        status[t] = LIFTED
        if where[t, INSIDE] == 0.0:
            continue
        counts = wheel_rail_force(wr, room.p, room.R, room.v, room.w, room.rail, room.records, room.status, room.wrench)
        for k in range(2):
            side = 1.0 - 2.0 * k
            status[t, k] = room.status[k]
            forces[t, k, CONTACTS_NOW] = counts[k]
            for i in range(counts[k]):
                c = room.records[k, i]
                n_y, n_z = side * c[NY], c[NZ]
                forces[t, k, F_X] += c[FORCE_X]
                forces[t, k, F_Y] += c[FORCE_N] * n_y + c[FORCE_Y] * n_z
                forces[t, k, F_Z] += c[FORCE_N] * n_z - c[FORCE_Y] * n_y
                forces[t, k, WEAR] += abs(c[FORCE_X] * c[CREEP_X] + c[FORCE_Y] * c[CREEP_Y])
