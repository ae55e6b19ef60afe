"""The golden set: questions, where their evidence lies, and how it is found again."""
