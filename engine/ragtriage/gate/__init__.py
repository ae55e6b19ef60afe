"""Whether a change may be merged: the decision, what it rests on, and the baseline that it is held against."""
