"""Shared by the launcher's modules."""
