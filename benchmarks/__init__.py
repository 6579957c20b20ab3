"""Accuracy and speed against peers and limits, measured in one run.

Each module has ``run()``, which measures and returns plain numbers, and ``page(result)``, which writes them as
Markdown. ``python -m benchmarks [name …]`` runs them and stores both in ``benchmarks/results``.
"""
