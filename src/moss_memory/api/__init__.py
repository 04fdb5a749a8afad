"""The wire: translate in, call one flow, translate out."""
