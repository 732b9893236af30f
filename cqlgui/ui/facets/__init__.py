"""The pane of facets and the pane of kept sets, for hits that are narrowed step by step."""
