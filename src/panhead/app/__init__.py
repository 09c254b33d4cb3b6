"""The command line, the workbench and the public functions."""
