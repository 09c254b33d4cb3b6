"""Wheel–rail forces of a wheelset along a given motion."""

from __future__ import annotations

import math

import numpy as np

from panhead.engine.jit.compiler import allocating, whole
from panhead.railway.vehicle.kernels.blended_contact import NY as CIRCLE_NY
from panhead.railway.vehicle.kernels.blended_contact import WEIGHT
from panhead.railway.vehicle.kernels.track_frame import on_track
from panhead.railway.vehicle.kernels.wheel_rail import DERAILED, FLANGE, FLANGE_ANGLE, LIFTED, TREAD, wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import CREEP_X, CREEP_Y, FORCE_N, FORCE_X, FORCE_Y, NY, NZ
from panhead.railway.vehicle.kernels.wheel_rail_world import enter_track
from panhead.railway.vehicle.kernels.wheelset_constraint import COUNT, MEAN, PUSH, held_creep, hold_wheels
from panhead.railway.vehicle.kernels.wheelset_row import axle_axes

PLACE, LATERAL, HEIGHT, YAW, ROLL, INSIDE = range(6)  #: columns of where
F_X, F_Y, F_Z, WEAR, CONTACTS_NOW = range(5)  #: columns of forces
_NOTICED = 0.01  # share of the normal force from which the flange of a held wheel counts as touching


@whole
def _observe_place(track, wr, room, place, q, v, R, w, where):
    """Write the state into the track frame and a row of where; returns the place along the track."""
    axle_axes(q[3], q[4], R)
    for k in range(3):
        w[k] = R[k, 0] * v[4] + R[k, 1] * v[5]
    w[2] += v[3]
    place = enter_track(track, wr.geometry.lever, q[:3], R, v[:3], w, place, room)
    where[PLACE], where[LATERAL], where[HEIGHT] = place, room.p[1], room.p[2]
    where[YAW] = math.atan2(-room.R[0, 1], room.R[1, 1])
    where[ROLL] = math.asin(max(-1.0, min(1.0, room.R[2, 1])))
    where[INSIDE] = 1.0 if on_track(track, place) else 0.0
    return place


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
        place = _observe_place(track, wr, room, place, q[t], v[t], R, w, where[t])
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


@allocating
def observe_held_wheelset(track, wr, blend, room, held, place, q, v, normal, where, forces, status):
    """``observe_wheelset`` of a wheelset held on its rails with normal forces (n, 2) [N]."""
    R, w = np.empty((3, 3)), np.empty(3)
    for t in range(q.shape[0]):
        place = _observe_place(track, wr, room, place, q[t], v[t], R, w, where[t])
        forces[t] = 0.0
        status[t] = LIFTED
        if where[t, INSIDE] == 0.0:
            continue
        place, found = hold_wheels(track, wr, blend, q[t, :3], R, place, room, held)
        for k in range(2):
            if not found:
                status[t, k] = DERAILED
                continue
            wheel = held.known[k]
            room.wrench[:] = 0.0
            _, worn = held_creep(wr.steel, normal[t, k], room, held, k, room.wrench)
            for i in range(3):
                forces[t, k, i] = normal[t, k] * wheel[PUSH + i] + room.wrench[i]
            forces[t, k, WEAR], forces[t, k, CONTACTS_NOW] = worn, 1.0
            if wheel[MEAN] < wr.geometry.tip:
                status[t, k] = DERAILED
            elif normal[t, k] > 0.0:
                flange = 0.0
                for i in range(int(wheel[COUNT])):
                    c = held.circles[k, i]
                    flange += c[WEIGHT] if -c[CIRCLE_NY] > FLANGE_ANGLE else 0.0
                status[t, k] = FLANGE if flange > _NOTICED else TREAD
