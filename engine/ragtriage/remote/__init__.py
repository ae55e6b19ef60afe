"""Servers that speak like a provider's: how they are reached, with which key, and what they are told to say."""
