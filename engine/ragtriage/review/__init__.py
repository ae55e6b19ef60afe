"""Two git revisions of a project, measured and compared: exporting, evaluating, what differs, and how that is told."""
