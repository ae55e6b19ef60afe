"""Whether what a project needs is there: versions, folders, models, servers and files. Nothing is fetched, nothing asked."""
