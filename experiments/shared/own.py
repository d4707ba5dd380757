"""The name under which the figures import this; it is in data.py."""

from .data import short_name as short_name
