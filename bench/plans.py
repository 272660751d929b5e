#!/usr/bin/env python3
"""Plans compared with runs on one thread: records, peak memory, the least ceiling (by bisection), and scratch under 70 % of the peak.

    bench/plans.py INPUT [--tegula target/release/tegula] [--recipes copies,onion]

Each cell has the estimate of `tegula plan --json`, then the measurement; memory in MiB. For Unix.
"""

import argparse
import json
import os
import subprocess
import tempfile

from ceilings import MIB, RECIPES, run

LOWEST = 64
STEP = 8


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("input")
    arguments.add_argument("--tegula", default="target/release/tegula")
    arguments.add_argument("--recipes", default=",".join(RECIPES))
    options = arguments.parse_args()
    print("| recipe | records | peak | least | scratch |\n| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        out, summary = (os.path.join(folder, "out" + os.path.splitext(options.input)[1]), os.path.join(folder, "summary.json"))
        for recipe in options.recipes.split(","):
            common = [options.input, "--recipe", recipe, "--threads", "1", "--json"]

            def plan(*more):
                return json.loads(subprocess.run([options.tegula, "plan", *common, *more], capture_output=True, check=True).stdout)["estimate"]

            def dedup(*more):
                line = [options.tegula, "dedup", *common, "-o", out, "--overwrite", "-q", *more]
                with open(summary, "wb") as file:
                    return run(line, file)

            def is_enough(ceiling):
                code, said, _, _ = dedup("--memory", f"{ceiling}M")
                assert code in (0, 2), said
                return code == 0

            expected = plan()
            code, said, peak, _ = dedup()
            assert code == 0, said
            with open(summary, "rb") as file:
                found = json.load(file)
            records = found.get("stages", [found])[0]["records"]
            low, least = LOWEST - 1, LOWEST
            while not is_enough(least):
                low, least = least, 2 * least
            while least - low > STEP and least > LOWEST:
                middle = (low + least) // 2
                low, least = (low, middle) if is_enough(middle) else (middle, least)
            ceiling = f"{max(least, int(0.7 * peak))}M"
            dedup("--memory", ceiling)
            with open(summary, "rb") as file:
                scratch = json.load(file)["peak_scratch"] / MIB
            planned = plan("--memory", ceiling)["fit"].get("scratch", 0) / MIB
            print(f"| `{recipe}` | {expected['records']}, {records} | {expected['peak'] / MIB:.0f}, {peak:.0f} "
                  f"| {expected['minimum'] / MIB:.0f}, {least} | {planned:.0f}, {scratch:.0f} |", flush=True)


if __name__ == "__main__":
    main()
