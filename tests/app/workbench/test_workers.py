"""What the server remembers of its tasks."""

import asyncio

from panhead.app.workbench.workers import WorkerPool


def test_a_run_on_the_page_outlives_any_number_of_drawings(tmp_path):
    """Each change draws the line twice over; the pictures and files of the run before must still be there."""

    async def remembered():
        crew = WorkerPool(tmp_path, tmp_path, hands=1, warm=False)
        for lane, name, times in (("long", "run", 1), ("quick", "draw", 200)):
            for _ in range(times):
                crew.submit(name, {})
                crew.handle_event(await crew.next(lane), {"event": "done"})
        return [task.name for task in crew.tasks.values()]

    names = asyncio.run(remembered())
    assert names[0] == "run"
    assert len(names) < 70  # and drawings are forgotten
