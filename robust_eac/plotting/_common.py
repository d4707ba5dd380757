"""What the plots share: colours and the Axes."""

# Okabe and Ito's.
BLUE, SKY, VERMILLION, ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
GREY = "0.55"


def check_axes(ax):
    """The Axes to draw on, a new one for None."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    elif not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes or None, got {type(ax).__name__}.")
    return ax


def count_along(axis):
    """Ticks at whole numbers only."""
    axis.get_major_locator().set_params(integer=True, min_n_ticks=1)
