"""The checks behind :func:`rankcast.diagnose`, by subject."""
