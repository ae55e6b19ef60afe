"""The corpus doctor: what is wrong with the passages themselves, whatever is asked of them."""
