"""The workbench: a page, served from this machine alone, in which a line is drawn, changed, run, judged and saved.

project     the folder: what may be read and written
messages    what the page may ask, as frozen descriptions; the same door as for files
edits       changes of a line as it is written
drawing     a line at rest, for the screen
showing     a judged result, for the screen
tasks       what a worker can do; ``worker`` is its process, ``workers`` those who hand out the work
guard       token, host, origin and sizes
app, serve  the routes, and the server that listens on 127.0.0.1
page/       the page itself: ES modules and SVG, nothing to build
"""
