"""Drawing: figures and block diagrams as plain data, and the SVG they become."""
