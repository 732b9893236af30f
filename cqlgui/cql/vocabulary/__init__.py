"""One row for each word and sign of CQL, with its forms and examples: data only."""
