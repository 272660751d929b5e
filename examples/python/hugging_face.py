"""Removes near copies from the splits of a Hugging Face dataset: nothing that is in `train` is kept in `test`.

    python hugging_face.py testdata/peps.jsonl
"""

import sys

import datasets

import tegula


def main(path: str) -> None:
    whole = datasets.load_dataset("json", data_files=path, split="train")
    splits = whole.train_test_split(test_size=0.2, seed=7)

    # Within and across splits at once: of several copies, the one in `train` is kept, as it comes first.
    result = tegula.dedup(splits, id="id", keep="first")
    for name in splits:
        print(f"{name}: {len(splits[name])} texts, {len(result.kept[name])} kept")

    # Evaluation data need a stricter check: at three quarters a revision of a text counts as leaked.
    leaked = tegula.dedup(splits["test"], id="id", against=splits["train"], threshold=0.5)
    print(f"test without anything half of which is in train: {len(leaked.kept)} of {len(splits['test'])}")


if __name__ == "__main__":
    main(sys.argv[1])
