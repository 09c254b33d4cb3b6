"""A coach of thirteen bodies: static wheel loads, modes, and a ride over track irregularities.

The shipped coach is placed on a straight track with seeded irregularities and rolls at 200 km/h. The ratio of the
largest to the static wheel load is a measure of the load on the track.
"""

import panhead as ph
from panhead.railway.vehicle import RandomIrregularity, Track, TrackSection, assemble, named_modes, ride, stand

#: Largest wheel load of the ride over the load at rest.
EXPECTED = (1.1, 1.5)


def main() -> float:
    track = Track(
        name="rough straight",
        sections=(TrackSection(length=160.0),),
        irregularity=RandomIrregularity(spectrum="erri-low", seed=3, even=30.0, fade=20.0),
    )
    standing = stand(assemble(ph.read_vehicle("s1-coach"), track))
    loads = standing.wheel_loads()
    print(f"wheel loads at rest: {loads.min() / 1e3:.2f} … {loads.max() / 1e3:.2f} kN")
    modes = named_modes(standing)
    for name in ("bounce", "pitch", "roll", "yaw", "sway"):
        k = modes.of(name)
        print(f"{name:7s} {modes.frequency[k]:.2f} Hz, damping {modes.damping[k]:.2f}")
    result = ride(standing, speed=200 / 3.6, duration=1.5)
    print(f"{result.outcome}: {result.message}")
    return float(result.seen.force[..., 2].max() / loads.mean())


if __name__ == "__main__":
    print(main())
