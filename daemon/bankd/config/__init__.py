"""The settings and routing rules of a workspace, read from its files with every problem reported at once."""

from bankd.config.folders import place_folders
from bankd.config.patterns import compile_finders
from bankd.config.plain_yaml import ConfigError, read_text
from bankd.config.routing import load_rules, read_rules_text
from bankd.config.schema import load_settings, load_usable_settings

__all__ = [
    "ConfigError",
    "compile_finders",
    "load_rules",
    "load_settings",
    "load_usable_settings",
    "place_folders",
    "read_rules_text",
    "read_text",
]
