"""Presentation of results and lines: drawings, reports, 3D views, sheets, evidence; no computation of verdicts."""
