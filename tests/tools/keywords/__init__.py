"""Every spelling of the language taken through the stages of a query by its own example."""
