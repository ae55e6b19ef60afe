"""What roles look like on each kind of terminal."""
