"""What figure and table of the scaling experiment share: medians over the repetitions, and slopes."""

import numpy as np

# axis: printed name, and the largest exponent of the time that is aimed at
AXES = {
    "n_samples": ("objects n", 1.05),
    "n_partitions": ("partitions m", 1.05),
    "n_clusters": ("clusters k", 1.3),
}


def samples(records, axis, measure):
    """{size: its measurements}, ascending."""
    found = {}
    for record in records:
        if record["config"]["axis"] == axis:
            found.setdefault(record["config"][axis], []).append(record["result"][measure])
    return dict(sorted(found.items()))


def slope(by_size):
    """Exponent of a power law through the medians, by least squares of logarithms."""
    sizes, medians = np.array([(size, np.median(values)) for size, values in by_size.items()]).T
    return np.polyfit(np.log(sizes), np.log(medians), 1)[0]


def last_decade(by_size):
    """The part from a tenth of the largest size on: below, what every fit costs flattens the slope."""
    return {size: values for size, values in by_size.items() if 10 * size >= max(by_size)}
