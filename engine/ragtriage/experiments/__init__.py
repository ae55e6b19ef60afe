"""Experiments: many configurations measured on one golden set, and which lever would have found a question's evidence."""
