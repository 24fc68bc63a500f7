"""What the package says of itself that follows from where its repository is: URLs, and the README with whole links.

The name stands here and nowhere else that is built; tests/release holds every other mention to it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "https://github.com/bankd/bankd"
SITE = "https://bankd.github.io/bankd/"


class Metadata(MetadataHookInterface):
    """Called by hatchling for each build."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add readme and URLs."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_whole_links(text)}
        metadata["urls"] = {
            "Documentation": SITE,
            "Repository": REPOSITORY,
            "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
            "Issues": f"{REPOSITORY}/issues",
        }


def with_whole_links(text: str) -> str:
    """Links to files of the repository lead there: a package index shows the README alone."""
    raw = f"{REPOSITORY.replace('github.com', 'raw.githubusercontent.com')}/main"
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:|#)", rf"\1{raw}/", text)
    return re.sub(r"(?<!!)(\[[^\]!]*\]\()(?!https?:|#)", rf"\1{REPOSITORY}/blob/main/", text)
