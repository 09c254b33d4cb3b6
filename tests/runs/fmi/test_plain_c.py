"""An importer that is not Python at all: a program in C loads our unit and steps it."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import numpy as np
import pytest

from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.fmi.exportable_units import PantographUnit
from panhead.runs.fmi.fmu_export import export
from panhead.runs.fmi.model_description import read_model_description

from .native import needs_compiler

pytest.importorskip("pythonfmu3")
LIBRARY = Path(sysconfig.get_config_var("LIBDIR") or "") / (sysconfig.get_config_var("INSTSONAME") or "")


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(not LIBRARY.name.startswith("libpython"), reason="Python without a shared library")
@pytest.mark.skipif(not LIBRARY.is_file(), reason="Python's shared library is not where it was built")
def test_a_program_in_c_gets_the_in_process_answer_bit_for_bit_and_ends_well(tmp_path):
    """The start values are the inputs, held; nothing is rounded on the way. The binary finds Python's library
    because it is loaded before, as any importer has to see to."""
    pantograph = PantographUnit(pantograph=read_pantograph("en50318-2002"), speed=70.0, strip=5.0)
    path = export(pantograph, tmp_path / "p.fmu")
    d, folder = read_model_description(path), tmp_path / "unpacked"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    gcc, program = str(shutil.which("gcc")), str(tmp_path / "importer")
    source = str(Path(__file__).with_name("importer.c"))
    subprocess.run([gcc, source, "-o", program, "-ldl"], check=True)
    outputs = [str(v.reference) for v in d.by_causality("output")]
    binary = folder / "binaries" / "x86_64-linux" / f"{d.identifier}.so"
    told = subprocess.run(
        [program, str(binary), d.token, f"{folder / 'resources'}/", *outputs],
        env=os.environ
        | {
            "LD_PRELOAD": str(LIBRARY),
            "PYTHONHOME": sys.base_prefix,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    side, u = pantograph.side(), np.array(pantograph.rest_inputs())
    side.observe(u)  # what every start begins with
    expected = [side.advance(1e-3, u, u) for _ in range(10)]
    np.testing.assert_array_equal([line.split() for line in told.stdout.splitlines()], [
        [f"{v:.17g}" for v in row] for row in expected
    ])  # fmt: skip
