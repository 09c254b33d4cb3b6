"""Heights of a strung tension length as a function of its parts, and the most probable parts by Gauss–Newton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from panhead.desk.sheets.survey_lengths import height_rows
from panhead.desk.sheets.survey_noise import SurveyNoise, estimate, whitening_matrix
from panhead.errors import ModelError, NotConverged
from panhead.explore.asbuilt.parts import BuiltPart, parabola
from panhead.explore.asbuilt.route_description import PartSpread
from panhead.railway.line.stringing_equations import Balance, solve
from panhead.railway.line.stringing_response import (
    StringingResponse,
    held_heights,
    response,
    support_move,
    tension_force,
)

_MOST_STEPS: Final = 12
_ENOUGH: Final = 0.05  # gain of a step in squared deviations at which the fit ends: chance decides over more
FAR: Final = 5.0  #: residual over its deviation beyond which a reading is left out
_NOISE_SAMPLES: Final = 1500  # of which the noise is estimated
_ASTRAY: Final = "the fit of the tension length does not converge; check that the survey belongs to it"
_FEWEST: Final = 4  # readings for each span below which there is no fit
_DATUM: Final = 0.1  # median of all heights of a pass over the drawing from which its reference is another [m]
_DAY: Final = 10e-3  # how much lower a pass may hang at mid-span than the others [m]


@dataclass(frozen=True, slots=True)
class HeightSamples:
    """Readings of one tension length, (n,) each; x from its first mast."""

    x: np.ndarray
    height: np.ndarray
    stagger: np.ndarray  #: NaN: not measured
    passes: np.ndarray  #: number of the pass


class HeightModel:
    """Heights of a strung tension length as a function of its parts, and of offsets of the passes."""

    def __init__(
        self,
        balance: Balance,
        groups: np.ndarray,
        parts: Sequence[BuiltPart],
        samples: HeightSamples,
        spread: PartSpread,
    ) -> None:
        self.balance, self.groups, self.samples, self.spread = balance, groups, samples, spread
        self.look = height_rows(balance, samples.x)
        self.masts = len(balance.grid.posts)
        self.roles = [p.kind.split()[0] for p in parts if p.kind.endswith("tension")]
        self.droppers = groups.shape[1]
        self.given, self.q0, self.force0 = balance.given.copy(), balance.q.copy(), balance.tension
        self.pulled = np.zeros(len(self.roles))  # tensions that the balance has now, less those drawn
        presag = any(p.kind == "pre-sag" for p in parts)
        self.pattern = self._presag_pattern() if presag else np.zeros((self.droppers, 0))
        tau = {"contact tension": spread.tension, "messenger tension": spread.tension}
        drawn = [tau[p.kind] * p.drawn for p in parts if p.kind in tau]
        own = [spread.dropper] * self.droppers + [spread.support] * self.masts + drawn + [spread.presag] * presag
        self.nuisance = self._nuisance()
        bias = np.full(self.n_passes, max(spread.bias, 1e-6))
        self.datum = self._datum(bias)
        self.tau = np.array(own + list(bias) + [_DAY] * (self.n_passes - 1))

    @property
    def n_passes(self) -> int:
        return int(self.samples.passes.max(initial=0)) + 1

    def _datum(self, bias: np.ndarray) -> list[str]:
        """Take a pass with another reference of height to that of the drawing, its bias open; sentences on it."""
        told, away = [], self.samples.height - self.look @ self.balance.q
        for k in range(self.n_passes if away.size else 0):
            mine = self.samples.passes == k
            off = float(np.median(away[mine]))
            if abs(off) > _DATUM:
                height = np.where(mine, self.samples.height - off, self.samples.height)
                self.samples, bias[k] = replace(self.samples, height=height), _DATUM
                told.append(
                    f"pass {k + 1}: all heights are some {1e3 * off:+.0f} mm from the drawing; that was taken as "
                    "another reference of height and removed. Check it: if the wire hangs so, geometry limits break"
                )
        return told

    def _presag_pattern(self) -> np.ndarray:
        grid = self.balance.grid
        flat = [(link.x, mesh.plan.length) for mesh in grid.meshes for link in mesh.links]
        first = [int(np.argmax(self.groups[:, k])) for k in range(self.droppers)]
        return np.array([[parabola(*flat[k])] for k in first]).reshape(self.droppers, 1)

    def _nuisance(self) -> np.ndarray:
        """(samples, passes + passes − 1): offset of each pass, and how much lower it hangs than the mean of all."""
        starts = np.concatenate([[0.0], np.cumsum(self.balance.grid.ell)])[self.balance.grid.starts]
        span = np.clip(np.searchsorted(starts, self.samples.x, side="right") - 1, 0, starts.size - 2)
        xi = (self.samples.x - starts[span]) / (starts[span + 1] - starts[span])
        mine = (self.samples.passes[:, None] == np.arange(self.n_passes)).astype(float)
        lower = -(4.0 * xi * (1.0 - xi))[:, None] * (mine - 1.0 / self.n_passes)
        return np.column_stack([mine, lower[:, 1:]])

    def respond(self) -> StringingResponse:
        others = [support_move(self.balance, m) for m in range(self.masts)]
        others += [tension_force(self.balance, role) for role in self.roles]
        return response(self.balance, self.look, others)

    def jacobian(self, found: StringingResponse) -> np.ndarray:
        D = found.derivative(self.balance.tension > 0.0)
        n = self.balance.links.n
        by_length = D[:, :n] @ self.groups
        return np.column_stack([by_length, D[:, n:], by_length @ self.pattern, self.nuisance])

    def place(self, theta: np.ndarray) -> bool:
        """Balance the tension length with these parts; False if it has no equilibrium, and the state is as before."""
        n, m, b = self.droppers, self.masts, self.balance
        lengths = theta[:n] + self.pattern @ theta[n + m + len(self.roles) :][: self.pattern.shape[1]]
        before = b.q.copy(), b.tension
        b.given = self.given + self.groups @ lengths
        change = theta[n + m : n + m + len(self.roles)] - self.pulled
        if change.any():
            b.pull_tighter(dict(zip(self.roles, map(float, change), strict=True)))
            self.pulled = self.pulled + change
        for q, force in (before, (self.q0, self.force0)):  # from where it is, or from the drawing
            b.q, b.tension = q.copy(), force
            for mast in range(m):
                held = held_heights(b, mast)
                b.q[held] = self.q0[held] + theta[n + mast]
            try:
                solve(b)
            except (NotConverged, ModelError):
                continue
            return True
        b.q, b.tension = before
        return False

    def residual(self, theta: np.ndarray) -> np.ndarray:
        offsets = theta[theta.size - self.nuisance.shape[1] :]
        return np.asarray(self.samples.height - self.look @ self.balance.q - self.nuisance @ offsets)

    def solve(
        self, told: Callable[[float], None]
    ) -> tuple[np.ndarray, np.ndarray, SurveyNoise, int, np.ndarray, list[str]]:  # fmt: skip
        """Parts, covariance, noise, readings used, residual, notes."""
        if self.samples.x.size < _FEWEST * (self.masts - 1):
            return self._as_drawn(f"only {self.samples.x.size} readings lie on it")
        try:
            return self._most_probable(told)
        except NotConverged:
            self.place(np.zeros(self.tau.size))
            return self._as_drawn("no line near the drawing hangs as the readings say (is the survey of this track?)")

    def _as_drawn(
        self, why: str
    ) -> tuple[np.ndarray, np.ndarray, SurveyNoise, int, np.ndarray, list[str]]:  # fmt: skip
        """No fit: the drawing, with the spread of parts."""
        note = f"{why}: it is taken as drawn, with the spread of parts"
        prior = np.diag(self.tau**2)
        return np.zeros(self.tau.size), prior, SurveyNoise(self.spread.noise), 0, np.zeros(0), [*self.datum, note]

    def _most_probable(
        self, told: Callable[[float], None]
    ) -> tuple[np.ndarray, np.ndarray, SurveyNoise, int, np.ndarray, list[str]]:  # fmt: skip
        """Gauss–Newton steps, with the noise estimated again where they have become small."""
        theta, weight = np.zeros(self.tau.size), np.diag(self.tau**-2.0)
        keep, noise = np.ones(self.samples.x.size, bool), SurveyNoise(self.spread.noise)
        answer = self.respond()
        r, again = self.residual(theta), False
        for step in range(_MOST_STEPS):
            G = self.jacobian(answer)
            if step:
                keep = np.abs(r) < FAR * max(noise.deviation, 1.48 * float(np.median(np.abs(r))))
            W = whitening_matrix(self.samples.x[keep], self.samples.passes[keep], noise.length)
            H, y = W @ G[keep], W @ r[keep]
            normal = H.T @ H / noise.deviation**2 + weight
            change = np.linalg.solve(normal, H.T @ y / noise.deviation**2 - weight @ theta)
            theta, r, gain = self._step(theta, change, r, keep, noise.deviation, weight)
            told(0.4 + 0.5 * (step + 1) / _MOST_STEPS)
            if gain < _ENOUGH:
                if again:
                    break
                again, answer = True, self.respond()
                noise = self._noise(G, r, keep)
        else:
            if gain > 0.01 * keep.size:
                raise NotConverged(_ASTRAY)
        return theta, np.linalg.inv(normal), noise, int(keep.sum()), r[keep], self._notes(theta, normal, keep)

    def _step(
        self, theta: np.ndarray, change: np.ndarray, r: np.ndarray, keep: np.ndarray, sigma: float, weight: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """A step, halved until it comes nearer to the survey; and what it gains."""
        cost = lambda t, away: float(np.sum(np.minimum(np.abs(away[keep]) / sigma, FAR) ** 2) + t @ weight @ t)
        before, share = cost(theta, r), 1.0
        while True:
            trial = theta + share * change
            there = self.place(trial)
            away = self.residual(trial)
            if there and (cost(trial, away) <= before + 1e-3 or share < 0.1):
                return trial, away, before - cost(trial, away)
            if share < 0.01:
                raise NotConverged(_ASTRAY)
            share *= 0.5

    def _noise(self, G: np.ndarray, r: np.ndarray, keep: np.ndarray) -> SurveyNoise:
        """Noise of the residual, from a stretch in the middle: there are enough readings there."""
        places = np.flatnonzero(keep)
        first = max(0, (places.size - _NOISE_SAMPLES) // 2)
        chosen = places[first : first + _NOISE_SAMPLES]
        felt = np.abs(G[chosen]).max(axis=0) > 1e-3 * np.abs(G).max(axis=0)
        if chosen.size <= 2 * int(felt.sum()):
            return SurveyNoise(max(self.spread.noise, float(np.std(r[keep]))))
        shown = estimate(self.samples.x[chosen], self.samples.passes[chosen], G[np.ix_(chosen, felt)], r[chosen])
        return SurveyNoise(max(shown.deviation, self.spread.noise), shown.length)

    def _notes(self, theta: np.ndarray, normal: np.ndarray, keep: np.ndarray) -> list[str]:
        notes, lost = list(self.datum), int((~keep).sum())
        if lost > 0.002 * keep.size:
            notes.append(f"{lost} of {keep.size} heights lie far off the fitted wire and were left out")
        spread = np.sqrt(np.diag(np.linalg.inv(normal)))
        for k in range(1, self.n_passes):
            lower, sure = theta[-self.n_passes + k], spread[-self.n_passes + k]
            if abs(lower) > 3.0 * sure and abs(lower) > 3e-3:
                notes.append(
                    f"pass {k + 1} hangs {1e3 * abs(lower):.0f} mm {'lower' if lower > 0 else 'higher'} at mid-span "
                    "than the mean of the passes: measured at another temperature"
                )
        return notes
