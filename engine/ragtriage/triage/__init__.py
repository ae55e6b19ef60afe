"""What people decided about failing questions."""
