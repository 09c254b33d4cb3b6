"""The multibody engine: laws, bodies, joints, forces, systems, methods, compiled kernels; no application."""
