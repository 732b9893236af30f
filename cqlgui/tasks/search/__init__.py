"""A search from its plan to its result; and what is estimated, counted, narrowed or explained."""
