"""Estimators of the distribution of U*, one per file."""
