"""Samplers and diagnostics on densities that are known."""

import numpy as np
import pytest

from panhead.explore.calibration.chain_diagnostics import effective_size, split_r_hat
from panhead.explore.calibration.hmc import Whitened, rotate, sample

SPACE = Whitened(np.zeros(2), np.eye(2))


def test_hmc_samples_a_skew_density():
    """φ = eˣ − 3 x + ½ y²: eˣ is Gamma(3), with mean 3 and variance 3."""
    slope = lambda z: (float(np.exp(z[0]) - 3.0 * z[0] + 0.5 * z[1] ** 2), np.array([np.exp(z[0]) - 3.0, z[1]]))
    chains = [sample(slope, SPACE, 800, 150, np.random.default_rng(k)) for k in range(2)]
    x = np.exp(np.concatenate([c.z[:, 0] for c in chains]))
    assert x.mean() == pytest.approx(3.0, abs=0.25)
    assert x.var() == pytest.approx(3.0, rel=0.25)
    assert all(0.55 < c.accepted < 0.98 for c in chains)
    assert sum(c.divergent for c in chains) == 0


def test_the_surrogate_corrects_its_normal_approximation():
    value = lambda z: float(np.exp(z[0]) - 3.0 * z[0] + 0.5 * z[1] ** 2)
    space = Whitened(np.array([np.log(3.0), 0.0]), np.diag([np.sqrt(3.0), 1.0]))
    chains = [rotate(value, space, 4000, 200, np.random.default_rng(k)) for k in range(2)]
    x = np.exp(np.concatenate([c.z[:, 0] for c in chains]))
    assert x.mean() == pytest.approx(3.0, abs=0.2)


def test_a_density_without_value_is_left():
    wall = lambda z: (float("inf"), np.zeros(2)) if z[0] > 0.5 else (0.5 * float(z @ z), z)
    chain = sample(wall, SPACE, 200, 50, np.random.default_rng(1))
    assert np.isfinite(chain.potential[1:]).all()


def test_diagnostics_know_independent_stuck_and_slow_chains():
    rng = np.random.default_rng(0)
    free = rng.standard_normal((4, 500))
    assert split_r_hat(free) == pytest.approx(1.0, abs=0.01)
    assert effective_size(free) == pytest.approx(2000, rel=0.2)
    assert split_r_hat(free + np.arange(4)[:, None]) > 1.5
    slow = np.zeros((4, 2000))
    for k in range(1, 2000):
        slow[:, k] = 0.9 * slow[:, k - 1] + rng.standard_normal(4)
    assert effective_size(slow) == pytest.approx(8000 * 0.1 / 1.9, rel=0.3)
