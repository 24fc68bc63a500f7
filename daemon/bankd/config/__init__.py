"""The settings and routing rules of a workspace, read from its files with every problem reported at once.

schema reads bankd.yaml, values says what each setting may be, routing reads routing.yaml, examples the lines that ship
beside it; plain_yaml and patterns read YAML and regular expressions that cannot do harm. folders is where memory/ and
bank/ are, workspace_config all of it for a run.
"""

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
