"""Categories: the publishers spell some in two ways and group them coarsely for their own figures."""

from __future__ import annotations

from typing import Final

# The pairs the publishers make one in their analysis (`merge_categories_all`).
_SPELLINGS: Final = {
    "Other Arts": "Other Fine Arts",
    "Geo/CE/other": "Geo/CE",
    "Myth": "Myth/Other Academic",
    "World/Other": "World/Other Lit",
}
_GROUPS: Final = {
    "Arts": ("Classical Music", "Other Fine Arts", "Painting/Sculpture"),
    "Geo/CE": ("Geo/CE",),
    "History": ("American Hist", "Euro Hist", "Other Hist", "World Hist"),
    "Literature": ("American Lit", "British Lit", "Euro Lit", "World/Other Lit"),
    "RMPSS": ("Myth/Other Academic", "Philosophy", "Religion", "Social Science"),
    "Science": ("Biology", "Chemistry", "Other Sci", "Physics"),
}
_GROUP_OF: Final = {category: group for group, members in _GROUPS.items() for category in members}
UNGROUPED: Final = "Other"


def normalise(category: str) -> tuple[str, str]:
    """Return the category under one spelling, and its group; the group of an unknown one is 'Other'."""
    plain = " ".join(category.split())
    normalised = _SPELLINGS.get(plain, plain)
    return normalised, _GROUP_OF.get(normalised, UNGROUPED)
