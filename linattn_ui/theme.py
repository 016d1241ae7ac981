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
PAPER = {"background": ("#ffffff", "#14171c"), "text": ("#12151c", "#e6e9ee"), "rule": ("#d5d8de", "#3a414c")}

FILLS = {"above": "positive", "below": "negative", "above_z": "quiet"}  # ends of the fills of Plotly's maps
MOST = 0.55  # of the role's colour in a fill: numbers in the page's text colour stand out from it

Colours = Mapping[str, str]  # role -> colour


def colours(dark: bool) -> Colours:
    """Every role's colour in one theme, with the ends of fills, the page's background, text and rules."""
    here = {role: pair[dark] for role, pair in (COLOURS | PAPER).items()}
    return here | {end: _mixed(here[role], here["background"]) for end, role in FILLS.items()}


def _mixed(colour: str, background: str) -> str:
    """The end of a fill.

    >>> _mixed("#2f6fd0", "#ffffff")
    '#8db0e5'
    """
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(background[1:]), strict=True)
    return "#" + bytes(round(MOST * a + (1 - MOST) * b) for a, b in pairs).hex()


def css() -> str:
    """The colours as CSS variables of `.stage`, whose data-theme is light or dark."""
    blocks = []
    for place, selector in enumerate([".stage", '.stage[data-theme="dark"]']):
        variables = "".join(f"--{role}:{pair[place]};" for role, pair in COLOURS.items())
        blocks.append(f"{selector}{{{variables}}}\n")
    return "".join(blocks)
