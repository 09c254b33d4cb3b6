"""The workbench: a local web page for editing, running, assessing and saving an overhead contact line.

project          the project folder: files that may be read and written
messages         requests of the page, as frozen descriptions validated like files
edits            edits of a line as written in its file; ``toml_edit`` keeps comments and order
line_geometry    static shape of a line, for drawing
result_json      an assessed result, for drawing; ``study_curves`` those of a study
tasks            tasks of a worker; ``worker`` is its process, ``workers`` the queue in the server
auth             token, host, origin and size of requests
error_responses  errors as JSON, with the field or dropper they concern
routes, serve    the routes, and the server that listens on 127.0.0.1
page/            the page: ES modules and SVG, no build step
"""
