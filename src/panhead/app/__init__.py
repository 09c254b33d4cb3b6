"""Command line, workbench and public functions."""
