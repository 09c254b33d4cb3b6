"""What an engineer reads, draws and files: drawings, reports, views, sheets, evidence; it shows and decides nothing."""
