"""The pane with pictures of a result. Only the module `canvas` needs pyqtgraph. The module `loading` imports
it when a picture is first shown, because this takes long."""
