"""Reports: one self-contained HTML file per result, readable offline."""
