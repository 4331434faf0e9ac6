"""The engines behind one `Tx`."""
