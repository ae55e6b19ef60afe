"""The terminal side of ragtriage: the command line and the full-screen app."""
