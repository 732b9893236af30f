"""The pane with pictures of a result. Only the module `canvas` needs pyqtgraph. It is imported when a picture
is first shown, because pyqtgraph takes long to load."""
