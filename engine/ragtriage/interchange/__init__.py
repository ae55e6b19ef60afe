"""Files of other evaluation tools: judgements and runs as TREC, BEIR and tables have them, read, written and scored alone."""
