"""The one widget there is: a canvas that repaints only the rows that differ."""
