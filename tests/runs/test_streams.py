"""Streams on disk: what a killed run leaves is continued as it was, or refused; never filled up with something else."""

import io
import json
import os

import numpy as np
import pytest

from panhead.errors import FileError
from panhead.runs import streams as module
from panhead.runs.streams import Streams

ROWS = np.arange(12.0).reshape(4, 3)


def streamed(folder, checkpoints=2):
    """So many checkpoints of a run with two streams, and rows after the last one."""
    made = Streams(folder)
    made.begin()
    for k in range(checkpoints):
        made.append("contact", ROWS + k)
        made.append("slack", ROWS[:0])
        made.save({"q": np.full(2, k)}, {"inputs": "these", "step": k})
    made.append("contact", ROWS)
    return folder / module.FOLDER


def restored(folder):
    found = Streams(folder)
    state = found.restore(inputs="these")
    return state and (state[0]["q"][0], state[1]["step"], found.table("contact"))


def test_a_stream_goes_on_from_the_last_checkpoint(tmp_path):
    streamed(tmp_path)
    q, step, table = restored(tmp_path)
    assert (q, step) == (1, 1)
    np.testing.assert_array_equal(table, np.vstack([ROWS, ROWS + 1]))
    assert restored(tmp_path / "elsewhere") is None


def test_no_rows_and_no_columns_are_tables_too(tmp_path):
    """The last piece of a run may be shorter than the time between samples, and a line may have no dropper."""
    for folder in (None, tmp_path):
        empty = Streams(folder)
        empty.begin()
        empty.append("energy", np.zeros((0, 12)))
        empty.append("dropper", np.zeros((0, 7)))
        empty.append("history", np.zeros((3, 0)))
        assert empty.table("energy").shape == (0, 12)
        assert empty.table("history").shape == (3, 0)


def cut(path):
    os.truncate(path, path.stat().st_size - 8)


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("harm", [cut, flip])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path, harm):
    harm(streamed(tmp_path) / "checkpoint-1")
    with pytest.warns(UserWarning, match="checkpoint-1 .*using the previous checkpoint"):
        q, step, table = restored(tmp_path)
    assert (q, step) == (0, 0)
    np.testing.assert_array_equal(table, ROWS)


def test_rows_that_did_not_reach_the_disk_are_missed(tmp_path):
    """They used to be filled with zeros: a mean of 82.6 N where 116.4 N is right."""
    os.truncate(streamed(tmp_path) / "contact.rows", 5 * 24)
    with pytest.warns(UserWarning, match=r"checkpoint-1 needs 72 more bytes than contact\.rows has"):
        _, step, table = restored(tmp_path)
    assert step == 0
    np.testing.assert_array_equal(table, ROWS)


@pytest.mark.parametrize("harm, name", [(cut, "contact.rows"), (flip, "contact.rows"), (os.unlink, "contact.rows"),
                                        (flip, "checkpoint-0"), (cut, "checkpoint-0")])  # fmt: skip
def test_what_does_not_verify_is_refused(tmp_path, harm, name):
    folder = streamed(tmp_path, checkpoints=1)
    os.truncate(folder / "contact.rows", ROWS.nbytes)
    harm(folder / name)
    with pytest.raises(FileError, match=r"checkpoint-0 (is damaged|needs|does not match)[\s\S]*run without --resume"):
        restored(tmp_path)


def test_the_checkpoint_of_another_run_or_version_is_refused(tmp_path, monkeypatch):
    streamed(tmp_path)
    with pytest.raises(FileError, match="another run"):
        Streams(tmp_path).restore(inputs="others")
    monkeypatch.setattr(module, "__version__", "99")
    with pytest.raises(FileError, match=r"written by panhead .*, but this is panhead 99"):
        restored(tmp_path)


@pytest.mark.parametrize("name", ["../../victim", "/victim", "a.b", "", "con\x00tact"])
def test_a_crafted_checkpoint_reaches_nothing_outside(tmp_path, name):
    """Names of streams are names of files: none but ours is opened, let alone cut short."""
    victim = tmp_path.parent / "victim.rows"
    victim.write_bytes(b"0" * 80)
    folder = streamed(tmp_path, checkpoints=0)
    about = {"facts": {"inputs": "these"}, "streams": {name: [1, 1, 0]}, "number": 0, "version": module.__version__}
    content = io.BytesIO()
    np.savez(content, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8))
    digest = module.hashlib.sha256(content.getvalue()).digest()
    (folder / "checkpoint-0").write_bytes(module._HEAD + digest + content.getvalue())
    with pytest.raises(FileError, match="unknown stream"):
        restored(tmp_path)
    assert victim.stat().st_size == 80
