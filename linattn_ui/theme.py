"""Colours by role, each for light and for dark. Roles are frames, labels and margins; fills are signed."""

from collections.abc import Mapping

COLOURS = {
    "contribution": ("#c2410c", "#fb923c"),
    "state": ("#15803d", "#4ade80"),
    "key": ("#6d28d9", "#c4b5fd"),
    "value": ("#0e7490", "#67e8f9"),
    "query": ("#be185d", "#f9a8d4"),
    "quiet": ("#5b6270", "#a3a9b6"),  # labels, and z until the division
    # Fills of x > 0 and x < 0: blue against brick is told apart by colour-blind eyes.
    "positive": ("#2f6fd0", "#5b9bff"),
    "negative": ("#c2522d", "#f0764a"),
    "share": ("#7c5cc4", "#8f7be0"),
}
# Ends of the fills of Plotly's maps, z in grey: dark enough in both themes for the white numbers in them.
FILLS = {
    "above": ("#2f6fd0", "#2f6fd0"),
    "below": ("#c2522d", "#c2522d"),
    "above_z": ("#5b6270", "#5b6270"),
}
PAPER = {"background": ("#ffffff", "#14171c"), "text": ("#12151c", "#e6e9ee"), "rule": ("#d5d8de", "#3a414c")}

Colours = Mapping[str, str]  # role -> colour


def colours(dark: bool) -> Colours:
    """Every role's colour in one theme, with the ends of fills, the page's background, text and rules."""
    return {role: pair[dark] for role, pair in (COLOURS | FILLS | PAPER).items()}


def css() -> str:
    """The colours as CSS variables of `.stage`, whose data-theme is light or dark."""
    blocks = []
    for place, selector in enumerate([".stage", '.stage[data-theme="dark"]']):
        variables = "".join(f"--{role}:{pair[place]};" for role, pair in COLOURS.items())
        blocks.append(f"{selector}{{{variables}}}\n")
    return "".join(blocks)
