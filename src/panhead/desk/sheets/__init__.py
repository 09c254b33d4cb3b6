"""The line engineer's desk: what stands between a drawing office's tables and a run.

panhead.desk.starting      a commented file to start from
panhead.desk.checking      a line as drawn against limits
panhead.desk.drawing       elevation and plan on paper
panhead.desk.schedules     dropper schedule, stringing heights, tension lengths, loads at supports
panhead.desk.from_tables   tables of masts and droppers become a line
panhead.desk.surveying     a survey becomes dropper lengths
panhead.desk.line_tables   a line as those tables
"""
