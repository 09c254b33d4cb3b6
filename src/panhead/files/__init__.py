"""File formats: parse TOML, tables, workbooks and URDF into descriptions; write results; convert units."""
