"""Finds exact and near duplicates in text collections, and proves each one.

    import tegula

    result = tegula.dedup(texts)          # strings, rows, DataFrames, Datasets, files
    result.kept                           # in the same type as the input
    result.removed
    result.verdicts.to_polars()           # each removal with its witness and score
    print(result.explain(17))             # why text 17 was removed, side by side
    result.report("report.html")

The options, methods and answers are those of the command line `tegula`, which is installed with the package.
"""

from tegula import _tegula
from tegula._command import Figures
from tegula._errors import (
    CancelledError,
    ChangedError,
    ClusterError,
    DataError,
    FileError,
    MemoryLimitError,
    RunFolderError,
    ScratchError,
    TegulaError,
    UsageError,
)
from tegula._features import Features, Join, fingerprints, minhash, simhash, tokens
from tegula._figures import cluster, compare, diff, evaluate, judge, onion, plan, recipes, rerun, stats, study, sweep
from tegula._functions import dedup, mark, pairs
from tegula._index import Index
from tegula._lists import filter, find, passages, phrases, stories, templates
from tegula._result import Comparison, Explanation, Result, Run
from tegula._result import open_run as open
from tegula._table import Table

__version__: str = _tegula.__version__

__all__ = [
    "CancelledError",
    "ChangedError",
    "ClusterError",
    "Comparison",
    "DataError",
    "Explanation",
    "Features",
    "Figures",
    "FileError",
    "Index",
    "Join",
    "MemoryLimitError",
    "Result",
    "Run",
    "RunFolderError",
    "ScratchError",
    "Table",
    "TegulaError",
    "UsageError",
    "__version__",
    "cluster",
    "compare",
    "dedup",
    "diff",
    "evaluate",
    "filter",
    "find",
    "fingerprints",
    "judge",
    "mark",
    "minhash",
    "onion",
    "open",
    "pairs",
    "passages",
    "phrases",
    "plan",
    "recipes",
    "rerun",
    "simhash",
    "stats",
    "stories",
    "study",
    "sweep",
    "templates",
    "tokens",
]
