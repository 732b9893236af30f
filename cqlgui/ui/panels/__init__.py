"""The panels that the window is made of; none of them knows another."""
