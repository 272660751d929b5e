"""A step for datatrove pipelines: the documents of a shard folder without near copies, each removal with its witness.

    from datatrove.executor import LocalPipelineExecutor
    LocalPipelineExecutor([TegulaDedup("shards/", "clean/", keep="newest:date", memory="8G")]).run()

The step is one task: the whole collection is compared under one memory ceiling, on all cores. Readers and filters that
follow run on `clean/` as usual. Without datatrove, run the script to see the step at work:

    python datatrove_step.py testdata/peps.jsonl clean.jsonl
"""

import sys
from pathlib import Path
from typing import Any

import tegula

try:
    from datatrove.pipeline.base import PipelineStep
except ImportError:
    PipelineStep = object


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
            result = tegula.dedup(self.source, to=self.output, progress=False, **self.options)
            self.report(result.summary["balance"])
        return data

    def report(self, balance: dict[str, Any]) -> None:
        for what in ("kept", "removed"):
            if hasattr(self, "stat_update"):
                self.stat_update(what, value=balance[what]["units"])
            print(f"{what}: {balance[what]['units']}")


if __name__ == "__main__":
    TegulaDedup(sys.argv[1], sys.argv[2]).run()
