"""From chunks and a question to a ranking: BM25, vectors, fusion, reranking, and the caches they stand on."""
