"""The app's only door to the engine: view models out, orders in. Nothing outside this package and `cli` imports ragtriage.

Importing this package imports no engine; its modules import what they need inside their functions, in a worker.
"""
