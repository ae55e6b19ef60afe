"""Find out which half of a RAG system failed, where the evidence was lost, and what would have found it."""
