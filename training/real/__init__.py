"""Populations of real things to learn from, made of what package registries hold."""
