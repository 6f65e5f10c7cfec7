"""What a capture is at, on the terminal or in a notebook."""
from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional, Union

Progress = Callable[[str, int, float], Any]


@contextlib.contextmanager
def shown_progress(progress: Union[bool, Progress, None], title: str) -> Iterator[Optional[Progress]]:
    """The function that is told how far a run is.

    True shows a line, None does where somebody looks (a terminal or a notebook), False shows
    nothing; a function is called as progress(stage, calls, seconds), and what it raises ends the run.
    """
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not progress:
        yield None
        return
    with _bar(title) as show:
        yield show


@contextlib.contextmanager
def _bar(title: str) -> Iterator[Progress]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield from _line(title)
        return
    with tqdm(desc=title, unit=" calls", unit_scale=True, dynamic_ncols=True) as bar:
        def show(stage: str, calls: int, seconds: float) -> None:
            bar.set_postfix_str(stage, refresh=False)
            bar.update(calls - bar.n)
        yield show


def _line(title: str) -> Iterator[Progress]:
    """One line that is written over: what tqdm shows, for those who do not have it."""
    last = 0

    def show(stage: str, calls: int, seconds: float) -> None:
        nonlocal last
        text = f"{title}: {calls:,} calls [{int(seconds) // 60:02}:{int(seconds) % 60:02}] {stage}"
        sys.stderr.write("\r" + text[:100].ljust(last))
        sys.stderr.flush()
        last = len(text[:100])

    try:
        yield show
    finally:
        if last:
            sys.stderr.write("\n")
