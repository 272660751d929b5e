"""A step for datatrove pipelines: the documents of a shard folder without near copies, each removal with its witness.

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader

    clean = LocalPipelineExecutor([TegulaDedup("shards/", "clean/", keep="newest:date", memory="8G")])
    LocalPipelineExecutor([JsonlReader("clean/", glob_pattern="*.jsonl"), ...], tasks=8, depends=clean).run()

The step is one task: the whole collection is compared under one memory ceiling, on all cores. Readers and filters that
follow are a pipeline of their own, which depends on it; the pattern passes over the file `.tegula.json`, in which the
folder remembers what was written to it. Without datatrove, run the script to see the step at work:

    python datatrove_step.py testdata/peps.jsonl clean.jsonl
"""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import tegula

try:
    from datatrove.pipeline.base import PipelineStep
except ImportError:

    class PipelineStep:
        """What the step needs of datatrove's."""

        def track_time(self, unit: str) -> Any:
            return nullcontext()

        def stat_update(self, *labels: str, value: int, unit: str) -> None:
            print(f"{', '.join(labels)}: {value}")


class TegulaDedup(PipelineStep):
    """Writes a collection without its near copies."""

    name = "Tegula"
    type = "dedup"

    def __init__(self, source: str, output: str, **options: Any) -> None:
        super().__init__()
        self.source, self.output, self.options = Path(source), Path(output), options

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Any:
        # All shards are compared with each other, so one task does it.
        if rank == 0:
            with self.track_time("run"):
                result = tegula.dedup(self.source, to=self.output, progress=False, **self.options)
            for what in ("kept", "removed"):
                self.stat_update(what, value=result.summary["balance"][what]["units"], unit="run")
        return data


if __name__ == "__main__":
    TegulaDedup(sys.argv[1], sys.argv[2]).run()
