"""Programs of the user's own that are run and spoken to in lines of JSON: what answers, judges or reranks."""
