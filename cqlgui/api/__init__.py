"""The library: what `import cqlgui` offers to programs and notebooks.

The modules only give tasks a shape that is pleasant in Python; the window and the command line call the same
tasks. Users import the names from `cqlgui` itself, and nothing else is public.
"""
