"""Another revision of a project: named, exported without touching the repository, and measured."""
