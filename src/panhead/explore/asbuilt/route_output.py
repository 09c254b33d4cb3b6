"""Write the pages and tables of a route."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from panhead.desk.reports.pdf import write_pdf
from panhead.desk.reports.render import write
from panhead.desk.sheets.table_rows import csv_text, write_excel
from panhead.explore.asbuilt import repair_work
from panhead.explore.asbuilt.route_pages import crew_page, manager_page
from panhead.explore.asbuilt.route_plan import RoutePlan
from panhead.explore.asbuilt.route_tables import culprits, work_order
from panhead.explore.asbuilt.run_route import assessments
from panhead.files.atomic_files import write_atomic


@dataclass(frozen=True, slots=True)
class WrittenRoute:
    """What was said and written."""

    sentence: str
    details: Sequence[str]
    files: Sequence[tuple[str, Path]]


def write_route(plan: RoutePlan, folder: Path, *, pdf: bool = False, excel: bool = False) -> WrittenRoute:
    """Manager's page, crew's page and tables from the assessments in a folder."""
    found = assessments(folder)
    currency = repair_work.read(plan.route.work, plan.folder).currency
    manager = manager_page(plan.name, found, plan.route.probability, currency)
    crew = crew_page(plan.name, found, currency)
    tables = work_order(found), culprits(found)
    files = [("manager", write(manager, folder / "manager")), ("crew", write(crew, folder / "crew"))]
    for table in tables:
        path = folder / f"{table.name.replace(' ', '_')}.csv"
        files.append(("table", write_atomic(path, csv_text(table).encode("utf-8-sig"))))
    if excel:
        files.append(("table", write_excel(tables, folder / "work_order.xlsx")))
    if pdf:
        files.append(("pdf", write_pdf(manager, folder / "manager.pdf")))
        files.append(("pdf", write_pdf(crew, folder / "crew.pdf")))
    return WrittenRoute(manager.verdict.sentence, manager.verdict.details, files)
