"""What one would write without ragtriage: bm25s + numpy + pytrec_eval over a BEIR folder, all vectors cached in a file.

    python -P plain_script.py FOLDER VECTORS.npz [INDEX]

Hybrid ranking by reciprocal ranks; recall, hit rate and nDCG at five depths and MRR are printed. With INDEX a saved BM25
index is loaded from that folder (made where it is missing); without it the index is built each time, as scripts do.
"""

import csv
import json
import sys
from pathlib import Path

import bm25s
import numpy as np
import pytrec_eval
import Stemmer

DEPTH = 100


def main(folder: Path, vectors: Path, saved: Path | None) -> None:
    with open(folder / "corpus.jsonl", encoding="utf-8") as handle:
        documents = [json.loads(line) for line in handle]
    with open(folder / "queries.jsonl", encoding="utf-8") as handle:
        queries = [json.loads(line) for line in handle]
    qrels: dict[str, dict[str, int]] = {}
    with open(folder / "qrels.tsv", encoding="utf-8", newline="") as handle:
        for row in list(csv.reader(handle, delimiter="\t"))[1:]:
            qrels.setdefault(row[0], {})[row[1]] = int(row[2])
    ids = [document["_id"] for document in documents]
    stemmer = Stemmer.Stemmer("english")
    if saved is not None and saved.is_dir():
        index = bm25s.BM25.load(saved)
    else:
        texts = [f"{document.get('title', '')}\n\n{document['text']}" for document in documents]
        index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
        if saved is not None:
            index.save(saved)
    asked = bm25s.tokenize([query["text"] for query in queries], stopwords="en", stemmer=stemmer, show_progress=False)
    lexical, _ = index.retrieve(asked, k=DEPTH, show_progress=False)
    stored = np.load(vectors)
    similarity = stored["queries"].astype(np.float32) @ stored["documents"].astype(np.float32).T
    dense = np.argsort(-similarity, axis=1)[:, :DEPTH]
    run = {}
    for query, first, second in zip(queries, lexical.tolist(), dense.tolist(), strict=True):
        scores: dict[str, float] = {}
        for rows in (first, second):
            for rank, row in enumerate(rows, start=1):
                scores[ids[row]] = scores.get(ids[row], 0.0) + 1 / (60 + rank)
        run[query["_id"]] = dict(sorted(scores.items(), key=lambda pair: -pair[1])[:50])
    measures = {"recip_rank", *(f"{family}.1,3,5,10,20" for family in ("recall", "success", "ndcg_cut"))}
    measured = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for name in next(iter(measured.values())):
        print(name, sum(values[name] for values in measured.values()) / len(measured))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
