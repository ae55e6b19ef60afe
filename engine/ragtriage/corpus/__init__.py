"""Files in, Documents with sections out."""
