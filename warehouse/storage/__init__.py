"""The one seam to disk: put a finished file under a key, list, open, and move the pointer."""
