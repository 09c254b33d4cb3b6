"""Answers that come late, as on a machine with much to do: the page shows the run it asked for last, and no other."""

import os

import pytest
from desk.reports.browser import executable

from app.workbench.eye import DRAWN, SIGMA, judged
from app.workbench.hand import RUN, after, click, press

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
#: the answer to the next run asked for is held back until `window.go` is called, or until that run has ended
HELD = """(until => { const real = window.fetch; window.fetch = async (address, more) => {
  const answer = await real(address, more);
  if (!String(address).endsWith('/api/run')) return answer;
  window.fetch = real;
  const { task } = await answer.clone().json();
  if (until == 'told') await new Promise(go => { window.go = go; });
  else while ((await (await real(new URL(`task/${task}`, address))).json()).state != 'done');
  return answer; } })"""
#: every word of the verdict from now on; null where there is none
WORDS = """(verdict => { window.words = [];
  new MutationObserver(() => window.words.push(verdict.querySelector('.word span')?.textContent))
    .observe(verdict, { childList: true }); })(document.getElementById('verdict'))"""


def test_a_run_that_ends_before_the_page_knows_its_number_is_shown(bench):
    bench.evaluate(f"{HELD}('ended')")
    _, now = after(bench, lambda: click(bench, "start"))
    assert now == "36.64 N"


def test_a_run_of_the_file_before_is_never_shown(bench, server):
    """It is asked for, another file is opened, and then its number comes: neither its verdict nor its end is told."""
    slow = RUN.format(line=f"{bench.name}-line.toml") + '[numerics]\nstep = "4e-6 s"\n'
    (server.folder / f"{bench.name}-slow.toml").write_text(slow)
    press(bench, '[aria-label="Read the folder again"]')
    bench.evaluate(f"{HELD}('told'), {WORDS}")
    press(bench, f'[data-file="{bench.name}-slow.toml"]')
    bench.wait("Boolean(window.go)")
    press(bench, f'[data-file="{bench.name}.toml"]')
    bench.wait(f"document.getElementById('opened').textContent.startsWith('{bench.name} ') && {DRAWN}")
    bench.evaluate("window.go()")
    judged(bench)
    assert set(bench.evaluate("window.words")) == {None, "✕ does not comply"}
    assert bench.evaluate(SIGMA) == "36.64 N"
