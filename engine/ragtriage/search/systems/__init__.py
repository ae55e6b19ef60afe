"""Retrievers under test: ours, and what stands for the user's own."""
