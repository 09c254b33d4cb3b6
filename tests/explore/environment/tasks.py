"""Short tasks for tests: six spans of 50 m at 60 m/s."""

from panhead.env import ControlTask, PantographActuator, Sensors

SHORT = {
    "line_changes": {"tension_lengths": [{"name": "T1", "spans": [{"length": 50.0, "count": 6, "dropper_count": 6}]}]},
    "numerics": {"step": "2 ms", "repeat": "none", "explain": "none"},
    "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 180.0, "ramp": 0.4},
    "speed": 60.0,
}


def short(changes=None, *, actuator=None, sensors=None, **more):
    """A task of 114 actions under a line of the shipped scenario en50318-300 with fewer spans."""
    return ControlTask(
        runs="en50318-300",
        changes=SHORT | (changes or {}),
        actuator=actuator or PantographActuator(),
        sensors=sensors or Sensors(),
        **more,
    )


def play(env, actions):
    """Rewards of a sequence of actions, and the last information."""
    found = [env.step([a]) for a in actions]
    return [step[1] for step in found], found[-1][4]
