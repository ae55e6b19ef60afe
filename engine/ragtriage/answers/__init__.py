"""What is put in the prompt, what is said, and whether it is right."""
