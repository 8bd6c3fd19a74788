"""Shared by pipes over files and functions."""
