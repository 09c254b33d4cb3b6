"""What line and pantograph tell each other, per strip [Ambrosio11, fig. 5]."""

from __future__ import annotations

from panhead.run.solvers.coupled.participant import Port


def strip_ports(strips: int) -> tuple[Port, ...]:
    """What the pantograph tells: height_k [m], rate_k [m/s] of every strip k = 1 …"""
    return tuple(
        port
        for k in range(1, strips + 1)
        for port in (
            Port(name=f"height_{k}", unit="m", about="of the strip at the contact point"),
            Port(name=f"rate_{k}", unit="m/s", about="of that height, along the point's way"),
        )
    )


def contact_ports(strips: int) -> tuple[Port, ...]:
    """What the line tells: force_k [N], lateral_k [m], lateral_rate_k [m/s] of the contact on every strip k = 1 …"""
    return tuple(
        port
        for k in range(1, strips + 1)
        for port in (
            Port(name=f"force_{k}", unit="N", about="of the contact, down on the strip"),
            Port(
                name=f"lateral_{k}", unit="m", about="place of the contact point across the track"
            ),
            Port(name=f"lateral_rate_{k}", unit="m/s", about="of that place"),
        )
    )
