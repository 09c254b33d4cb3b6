"""Compilation: functions become kernels, kernels are cached on disk, several runs share vector registers."""
