"""Tables, drawings, checks and surveys of an overhead line.

panhead.desk.starter.file_templates      a commented file to start from
panhead.desk.sheets.line_check      a line as drawn against limits
panhead.desk.sheets.line_drawing       elevation and plan on paper
panhead.desk.sheets.schedules     dropper schedule, stringing heights, tension lengths, loads at supports
panhead.desk.sheets.from_tables   tables of masts and droppers become a line
panhead.desk.sheets.survey_fit     a survey becomes dropper lengths
panhead.desk.sheets.line_tables   a line as those tables
"""
