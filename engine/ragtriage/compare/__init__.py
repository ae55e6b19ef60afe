"""Two runs side by side: which questions broke or were fixed, which step made the difference, and whether it may be chance."""
