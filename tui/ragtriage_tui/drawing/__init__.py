"""Screens as lines: pure functions from view state and view models to drawings. No Textual in here."""
