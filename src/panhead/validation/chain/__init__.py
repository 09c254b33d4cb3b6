"""A chain of links on ball joints."""
