"""``panhead leaderboard``: control policies on lines they have not seen, beside the ceiling."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from panhead.app.cli.paths import path_option


def leaderboard(
    task: Annotated[str, typer.Argument(help="FILE.toml with a control task; none: the standard one.")] = "",
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first episode.")] = 1000,
    split: Annotated[Literal["test", "train"], typer.Option(help="Lines of the episodes.")] = "test",
    iterations: Annotated[int, typer.Option(min=1, help="Steps of the search for the ceiling.")] = 20,
) -> None:
    """Compare control policies of a pantograph with the best that any actuator could do; write tables and a page."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.desk.reports.render import write
    from panhead.explore.environment import ControlTask
    from panhead.explore.environment.leaderboard import conduct, read_task
    from panhead.explore.environment.leaderboard_page import page
    from panhead.files.atomic_files import claim_folder

    chosen = read_task(task) if task else ControlTask()
    folder = (out or Path("out") / "leaderboard").resolve()
    try:
        with claim_folder(folder, not_of_a_run=True), progress_bar("leaderboard") as progress:
            board = conduct(
                chosen, folder, episodes=episodes, seed=seed, split=split, iterations=iterations, told=progress
            )
            found = page(board)
            path = write(found, folder)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; finished ceilings are saved in {folder}. Repeat the same command to resume", err=True)
        raise typer.Exit(130) from None
    for words in (found.verdict.sentence, *found.verdict.details):
        print(words)
    print(f"table   {folder / 'leaderboard.csv'}\nreport  {path}")
