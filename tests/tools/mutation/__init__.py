"""How many small changes of the program do the tests notice: `python -m tests.tools.mutation --help`."""
