"""Options of a consensus: how the arguments are declared, and which go together."""

from functools import partial

from .names import AGREEMENTS, CLUSTER_WEIGHTS, DEFAULTS, LOSSES, METHODS, WEIGHT_SOLVERS
from .options import add_n_clusters, add_seed, number_or

# Options that RobustEAC takes as they are, with its defaults.
PASSED = (
    *("method", "weighting", "agreement", "cluster_weights", "threshold", "init"),
    *("rho", "lam", "lam0", "n_init", "max_iter", "tol", "n_jobs"),
)
# Options of solve_hard_median_partition, and those that have no meaning for it.
PASSED_WITH_LOSS = ("loss", "weighting", "rho", "lam", "lam0", "n_init", "cluster_weights", "n_jobs")
_NOT_WITH_LOSS = ("method", "agreement", "threshold", "init", "max_iter", "tol", "verbose", "membership")
# Options of one weighting only.
_WEIGHTING_OF = {"rho": "restricted-simplex", "lam": "l2", "lam0": "l2"}


def add_solver_options(parser):
    """Add the options of a consensus."""
    parser.set_defaults(certify=False, **{name: DEFAULTS[name] for name in PASSED})
    group = parser.add_argument_group("consensus")
    add_n_clusters(group, required=False, note="; with --loss an integer, or left out for as many as the loss wants")
    group.add_argument(
        "--loss",
        choices=LOSSES,
        metavar="NAME",
        help=f"search for the hard partition of least loss: {', '.join(LOSSES)}; default: memberships; see below",
    )
    group.add_argument(
        "--cost",
        type=partial(number_or, "n-clusters"),
        metavar="C",
        help="for --loss binder and vi: what it costs to part objects that a clustering joins, 0 to 2, the reverse "
        "costing 2-C; 'n-clusters' finds a cost that gives --n-clusters clusters; default: 1",
    )
    group.add_argument(
        "--method",
        choices=METHODS,
        help="default: %(default)s; merge takes only --n-clusters, --n-jobs and --seed; see below",
    )
    group.add_argument(
        "--weighting",
        choices=WEIGHT_SOLVERS,
        metavar="NAME",
        help=f"{', '.join(WEIGHT_SOLVERS)}; default: %(default)s; see below",
    )
    group.add_argument(
        "--agreement",
        choices=AGREEMENTS,
        help="use the losses as they are (raw), or corrected for chance (adjusted); default: %(default)s, which means "
        "adjusted for chance-corrected and raw for the others",
    )
    group.add_argument(
        "--cluster-weights",
        choices=CLUSTER_WEIGHTS,
        help="weights of the base clusters; size lets fine and coarse clusterings count alike; default: all the same",
    )
    group.add_argument(
        "--threshold",
        choices=("half", "data"),
        help="share of the clusterings that must join two objects for the consensus to do so: half, or found from the "
        "data, best with --init merge; default: %(default)s",
    )
    group.add_argument(
        "--init", choices=("random", "kmeans", "merge"), help="where to start from; default: %(default)s"
    )
    group.add_argument(
        "--rho",
        type=partial(number_or, "auto"),
        metavar="R",
        help="for restricted-simplex: the largest weight, so that 1/R clusterings keep weight; 'auto' counts the "
        "clusterings that agree more than by chance; default: 1/(0.8 number of clusterings), which leaves out a fifth",
    )
    group.add_argument(
        "--lam",
        type=float,
        metavar="L",
        help="for l2: lambda; default: half the squared number of objects, with --loss 0.5",
    )
    group.add_argument("--lam0", type=float, metavar="L", help="for l2: lambda free of scale, instead of --lam")
    group.add_argument(
        "--n-init", type=int, metavar="N", help="number of starts; default: %(default)s (16 in Python with a loss)"
    )
    group.add_argument("--max-iter", type=int, metavar="N", help="alternations of each start; default: %(default)s")
    group.add_argument("--tol", type=float, metavar="T", help="optimality gap to stop at; default: %(default)g")
    group.add_argument("--n-jobs", type=int, metavar="N", help="threads; default: all cores; changes no result")
    add_seed(group)
    group.add_argument("--verbose", action="store_true", help="print every alternation")


def check_solver_options(arguments):
    """Raise ValueError for options that do not go together, before anything is read."""
    for name, weighting in _WEIGHTING_OF.items():
        if getattr(arguments, name) is not None and arguments.weighting != weighting:
            raise ValueError(f"--{name} applies to --weighting {weighting} only, not to {arguments.weighting}.")
    n_clusters, loss = arguments.n_clusters, arguments.loss
    if loss is None:
        if arguments.cost is not None:
            raise ValueError("--cost applies to --loss only.")
        if n_clusters is None:
            raise ValueError("--n-clusters is required; only --loss can do without.")
        if arguments.certify and arguments.method == "merge":
            raise ValueError("--certify does not apply to --method merge, which minimises no objective.")
        return
    if arguments.certify and loss != "binder":
        raise ValueError(f"--certify does not apply to --loss {loss}: of the losses there is a bound for binder only.")
    if arguments.cost == "n-clusters" and n_clusters is None:
        raise ValueError("--cost n-clusters needs --n-clusters.")
    defaults = DEFAULTS | {"verbose": False, "membership": None}
    for name in _NOT_WITH_LOSS:
        if getattr(arguments, name, defaults[name]) != defaults[name]:
            raise ValueError(f"--{name.replace('_', '-')} does not apply to --loss {loss}.")
    if not (n_clusters is None or isinstance(n_clusters, int)):
        raise ValueError(
            f"--n-clusters must be an integer for --loss {loss}, or left out for as many clusters as the loss wants, "
            f"got {n_clusters[0]}-{n_clusters[-1]}."
        )
