"""Locks between processes: who holds one is found out without harm to it."""

import os
import subprocess
import sys
from types import MappingProxyType, SimpleNamespace

from panhead.files import lock


def test_a_process_is_found_and_lives_on():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert lock.process_exists(other.pid)
        assert other.poll() is None
        other.communicate(b"\n")
    assert other.returncode == 0
    assert not lock.process_exists(other.pid)
    assert not lock.process_exists(os.getpid())  # it is no other


class Kernel32:
    """What Windows answers: a process that runs, one that has ended, another user's; every handle is closed."""

    EXIT_CODES = MappingProxyType({11: 259, 12: 0})  # STILL_ACTIVE
    DENIED = 13

    def __init__(self):
        self.open, self.error = set(), 0
        self.OpenProcess = _Function(self._open)

    def _open(self, rights, inherited, process):
        assert (rights, inherited) == (0x1000, False), "the right to ask, and no right to end it"
        if process.value in self.EXIT_CODES:
            self.open.add(process.value)
            return process.value
        self.error = 5 if process.value == self.DENIED else 87
        return None

    def GetExitCodeProcess(self, handle, code):
        code._obj.value = self.EXIT_CODES[handle.value]
        return 1

    def CloseHandle(self, handle):
        self.open.remove(handle.value)


class _Function:
    def __init__(self, call):
        self.call, self.restype = call, None

    def __call__(self, *arguments):
        return self.call(*arguments)


def test_windows_is_asked_without_a_signal(monkeypatch):
    """``os.kill(process, 0)`` ends the process there."""
    import ctypes

    windows = Kernel32()
    monkeypatch.setattr(ctypes, "WinDLL", lambda name, use_last_error: windows, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: windows.error, raising=False)
    monkeypatch.setattr(lock, "os", SimpleNamespace(name="nt", getpid=os.getpid))  # without kill
    found = {process: lock.process_exists(process) for process in (11, 12, 13, 14, 1 << 32, -1)}
    assert found == {11: True, 12: False, 13: True, 14: False, 1 << 32: False, -1: False}
    assert windows.open == set()
    assert windows.OpenProcess.restype is ctypes.c_void_p  # a handle has 64 bits
