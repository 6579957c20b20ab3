"""Populations with known truth, and the data of the demo."""
