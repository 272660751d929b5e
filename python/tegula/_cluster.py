"""Tasks of a run on Spark: messages of one partition in, messages out."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tegula import _tegula

if TYPE_CHECKING:
    import pyarrow

SCHEMA = "kind string, key bigint, bytes binary"
"""The columns of messages."""


@functools.lru_cache(maxsize=4)
def _worker(plan: bytes) -> _tegula.ClusterWorker:
    """What this process knows of a run, whose files it opens once."""
    return _tegula.ClusterWorker(plan)


def run(plan: bytes, job: bytes, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Runs a task over messages in order of their keys."""
    import pyarrow

    task = _tegula.ClusterTask(_worker(plan), job)
    for batch in batches:
        if batch.num_rows:
            for sent in task.push(pyarrow.Table.from_batches([batch])):
                yield from pyarrow.table(sent).to_batches()
    for sent in task.finish():
        yield from pyarrow.table(sent).to_batches()
