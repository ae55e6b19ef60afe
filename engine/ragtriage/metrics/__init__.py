"""What a ranking is worth: pure functions over the ranks of a question's evidence, and their mean over questions."""
