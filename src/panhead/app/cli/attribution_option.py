"""Option ``--why`` of ``panhead run`` and ``panhead report``: attribution of force peaks."""

from __future__ import annotations

from pathlib import Path


def explain(path: Path) -> None:
    """Attribute the force peaks of a stored result, save the attribution with it and rewrite its report."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.desk.reports import page_of
    from panhead.desk.reports.render import write
    from panhead.files import results
    from panhead.files.atomic_files import claim_folder
    from panhead.runs.scenarios.explain_result import with_attribution

    with claim_folder(path.parent), progress_bar(path.parent.name) as progress:
        found = with_attribution(results.load(path), progress)
        results.save(found, path)
        report = write(page_of(found), path.parent)
    reason = found.attrs.get("why_not")
    if reason:
        print(f"why     not available: {reason}")
    print(f"report  {report}")
