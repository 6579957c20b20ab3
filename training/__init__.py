"""Simulated populations of classes, and tasks with known truth, to test and to train forecasters on."""
