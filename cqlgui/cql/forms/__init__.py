"""By family of filters: the type, the printed form and the rule under transforms of each node."""
