"""The kernel language: functions in a typed subset of Python, run as machine code through llvmlite, or as
plain Python where there is none.
"""
