"""One module a screen; `base` holds what they share."""
