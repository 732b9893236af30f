"""The kernel language: functions in a typed subset of Python. They run as machine code through llvmlite, or
as plain Python without llvmlite.
"""
