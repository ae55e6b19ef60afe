"""What is measured for one corpus, configuration and golden set, and how it is kept, explained and reported."""
