"""Flexible bodies in floating frames in Exudyn: nodes, masses and stiffness of a structure, and shapes, as given.

Two of Exudyn's ways are not used where the frame is not in mean axes, as measured with version 1.13:

- gravity by its mass marker turns the frame by S0 × g; the part of the deformed body, (S1 w) × g, is missing: a free
  body in a body-fixed frame then does not fall as ½ g t². ``weighted`` pulls at the mean of all nodes instead, weighted
  with their masses, which is the same force with that part.
- a hinge on a rigid marker that turns by θ in the frame: its reactions differ from the gradients of its equations by a
  share of 0.9 θ (its Jacobian beside differences of its equations), so they do work, however small the steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from exudyn import FEM

from oracles import exudyn_tools as tools
from oracles.exudyn_tools import item

Triple = Sequence[float]


@dataclass
class Body:
    """What Exudyn is told: points (n, 3) in the frame, masses (n,), stiffness and shapes of 3 n rows, and the start."""

    points: np.ndarray
    nodal_mass: np.ndarray
    shapes: np.ndarray | None  # none: as many of Exudyn's own as there are rates
    stiffness: Any
    rates: np.ndarray  # of the shapes
    velocity: Triple = (0.0, 0.0, 0.0)
    spin: Triple = (0.0, 0.0, 0.0)  # the frame starts along the world's axes
    gravity: Triple = (0.0, 0.0, 0.0)
    weighted: bool = True  # gravity at the nodes; otherwise Exudyn's own
    held: tuple[int, ...] = ()  # nodes of the joint
    axis: np.ndarray | None = None  # (3, 3), third column: of a hinge; none: a ball
    watched: tuple[int, ...] = field(default=(0,))

    def mesh(self) -> Any:
        """Exudyn's finite elements without elements."""
        fem = FEM.FEMinterface()
        fem.nodes = {"Position": self.points}
        fem.massMatrix = sp.csr_matrix(sp.diags(np.repeat(self.nodal_mass, 3)))
        fem.stiffnessMatrix = sp.csr_matrix(self.stiffness)
        if self.shapes is not None:
            fem.modeBasis = {"matrix": np.array(self.shapes), "type": "NormalModes"}
        return fem

    def share(self, nodes: Sequence[int]) -> list[float]:
        return list(self.nodal_mass[list(nodes)] / self.nodal_mass[list(nodes)].sum())

    def build(self) -> tuple[Any, int, list[int]]:
        """The assembled system, its body and a sensor for every node that is watched."""
        mbs, fem = tools.new_system(), self.mesh()
        made = FEM.ObjectFFRFreducedOrderInterface(fem).AddObjectFFRFreducedOrder(
            mbs,
            initialVelocity=list(self.velocity),
            initialAngularVelocity=list(self.spin),
            gravity=[0.0] * 3 if self.weighted else list(self.gravity),
        )
        body = made["oFFRFreducedOrder"]
        mbs.SetNodeParameter(made["nGenericODE2"], "initialCoordinates_t", list(self.rates))
        if self.weighted:
            self._pull(mbs, body)
        if self.held:
            self._joint(mbs, body)
        sensors = [
            mbs.AddSensor(
                item.SensorSuperElement(
                    bodyNumber=body,
                    meshNodeNumber=int(j),
                    storeInternal=True,
                    writeToFile=False,
                    outputVariableType=tools.KIND.Position,
                )
            )
            for j in self.watched
        ]
        mbs.Assemble()
        return mbs, body, sensors

    def _pull(self, mbs: Any, body: int) -> None:
        nodes = list(range(len(self.points)))
        mark = item.MarkerSuperElementPosition(
            bodyNumber=body, meshNodeNumbers=nodes, weightingFactors=self.share(nodes)
        )
        force = self.nodal_mass.sum() * np.array(self.gravity)
        mbs.AddLoad(item.LoadForceVector(markerNumber=mbs.AddMarker(mark), loadVector=list(force)))

    def _joint(self, mbs: Any, body: int) -> None:
        nodes, share = list(map(int, self.held)), self.share(self.held)
        point = share @ self.points[nodes]
        ground = mbs.AddObject(item.ObjectGround())
        a = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=ground, localPosition=list(point)))
        options = {"bodyNumber": body, "meshNodeNumbers": nodes, "weightingFactors": share}
        if self.axis is None:
            b = mbs.AddMarker(item.MarkerSuperElementPosition(**options))
            mbs.AddObject(item.ObjectJointSpherical(markerNumbers=[a, b]))
            return
        b = mbs.AddMarker(item.MarkerSuperElementRigid(**options))
        mbs.AddObject(
            item.ObjectJointRevoluteZ(markerNumbers=[a, b], rotationMarker0=self.axis, rotationMarker1=self.axis)
        )

    def run(self, dt: float, times: np.ndarray, rho: float) -> np.ndarray:
        """Where the watched nodes are, (times, nodes, 3)."""
        mbs, _, sensors = self.build()
        tools.march(mbs, dt=dt, duration=times[-1], rho=rho, rtol=1e-11)
        return np.stack([tools.at_times(mbs, k, times) for k in sensors], axis=1)


def own_shapes(body: Body, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Vibrations of the free body that Exudyn finds: shapes (3 n, count) and frequencies [Hz]."""
    fem = body.mesh()
    # dense: its sparse solver starts from random numbers, and now and then stops 7e-8 off
    fem.ComputeEigenmodes(count, excludeRigidBodyModes=6, useSparseSolver=False)
    return fem.modeBasis["matrix"], np.asarray(fem.GetEigenFrequenciesHz())[6 : 6 + count]
