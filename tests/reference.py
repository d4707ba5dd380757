"""Slow, obvious code to compare the library with: explicit n x n matrices and cvxpy models. Only for small n."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
from scipy.linalg import expm
from scipy.optimize import linprog


def comembership(column):
    """(n, n) matrix of 1 where two objects are observed and share a label, and the (n, n) mask of observed pairs."""
    observed = column != -1
    pairs = np.outer(observed, observed).astype(float)
    return pairs * (column[:, None] == column[None, :]), pairs


def partitions_of(labels):
    """The partitions of a label matrix or of a list, one by one."""
    return list(labels) if isinstance(labels, (list, tuple)) else list(labels.T)


def shared_weights(labels, sample_weight):
    """Weight of the objects that each cluster (u, a) shares with each (v, b), u < v, where that is positive."""
    found = Counter()
    for row, w in zip(labels.tolist(), sample_weight.tolist(), strict=True):
        clusters = [(u, label) for u, label in enumerate(row) if label != -1 and w > 0.0]
        for one, other in combinations(clusters, 2):
            found[one, other] += w
    return dict(found)


def pair_terms(labels, sample_weight=None):
    """For every partition: comembership, weight of every pair, factor (n / n_u)^2."""
    columns = partitions_of(labels)
    w = np.ones(len(columns[0])) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    for column in columns:
        together, observed = comembership(column)
        pairs = observed * np.outer(w, w)
        yield together, pairs, (w.sum() / w[np.diag(observed) > 0.0].sum()) ** 2


def losses(labels, membership, sample_weight=None):
    """d_u pair by pair."""
    gram = membership @ membership.T
    return np.array(
        [
            factor * (pairs * (gram - together) ** 2).sum()
            for together, pairs, factor in pair_terms(labels, sample_weight)
        ]
    )


def objective(labels, membership, weights, lam=0.0, sample_weight=None):
    """Objective (4) or (5)."""
    found = losses(labels, membership, sample_weight)
    return weights @ found + 0.5 * lam * weights @ weights


def gradient(labels, membership, weights, sample_weight=None):
    """Derivative of the weighted loss in every entry of the membership."""
    gram = membership @ membership.T
    total = np.zeros_like(membership)
    for weight, (together, pairs, factor) in zip(weights, pair_terms(labels, sample_weight), strict=True):
        total += 4.0 * weight * factor * (pairs * (gram - together)) @ membership
    return total


def gap(labels, membership, weights, sample_weight=None):
    """The optimality gap from the dense gradient."""
    g = gradient(labels, membership, weights, sample_weight)
    total = len(membership) if sample_weight is None else np.sum(sample_weight)
    return ((g * membership).sum(axis=1) - g.min(axis=1)).sum() / (4.0 * total**2)


def quartic_along(labels, membership, direction, weights, sample_weight=None):
    """Coefficients (t, t^2, t^3, t^4) of the weighted loss at membership + t direction, minus its value at t = 0."""
    zeroth = membership @ membership.T
    first = membership @ direction.T + direction @ membership.T
    second = direction @ direction.T
    c = np.zeros(4)
    for weight, (together, pairs, factor) in zip(weights, pair_terms(labels, sample_weight), strict=True):
        rest = zeroth - together
        scale = weight * factor
        c[0] += scale * 2.0 * (pairs * rest * first).sum()
        c[1] += scale * (pairs * (first**2 + 2.0 * rest * second)).sum()
        c[2] += scale * 2.0 * (pairs * first * second).sum()
        c[3] += scale * (pairs * second**2).sum()
    return c


def minimise_polynomial(c, upper):
    """Minimiser of c[0] t + ... + c[3] t^4 on [0, upper]: real roots of the derivative, and both ends."""

    def value(t):
        return t * (c[0] + t * (c[1] + t * (c[2] + t * c[3])))

    roots = np.roots([4.0 * c[3], 3.0 * c[2], 2.0 * c[1], c[0]])
    candidates = [r.real for r in roots if abs(r.imag) < 1e-7 * (1.0 + abs(r)) and 0.0 < r.real < upper]
    return min([0.0, *candidates, upper], key=value)


def visit(labels, membership, weights, members, n_steps, sample_weight=None):
    """All outcomes of a visit of the objects `members`, which move together: a list of memberships.

    Up to n_steps pair steps, everything recomputed from n x n matrices before each. An exact step leaves the
    derivatives of its two clusters equal, so rounding decides which of them the next step takes: both are followed.
    It also decides whether there is a step between the two: where an object's own term is large, the quartic can have a
    second, lower minimum in the direction that the step did not look in.
    """
    if n_steps == 0:
        return [membership]
    i = members[0]
    g = gradient(labels, membership, weights, sample_weight)[members].sum(axis=0)
    held = np.flatnonzero(membership[i] > 0.0)
    total = len(membership) if sample_weight is None else np.sum(sample_weight)
    tie = 1e-9 * total * (len(members) if sample_weight is None else np.sum(np.asarray(sample_weight)[members]))
    outcomes = []
    for p in np.flatnonzero(g <= g.min() + tie):
        for q in held[g[held] >= g[held].max() - tie]:
            t = 0.0
            tied = abs(g[p] - g[q]) <= tie
            if p != q and (tied or g[p] < g[q]):
                direction = np.zeros_like(membership)
                direction[members, p], direction[members, q] = 1.0, -1.0
                c = quartic_along(labels, membership, direction, weights, sample_weight)
                t = minimise_polynomial(c, membership[i, q])
            if t == 0.0 or tied:
                outcomes.append(membership)
            if t == 0.0:
                continue
            moved = membership.copy()
            moved[members, p] += t
            moved[members, q] = moved[i, q] - t if t < moved[i, q] else 0.0
            outcomes += visit(labels, moved, weights, members, n_steps - 1, sample_weight)
    return outcomes


def costs_in_order(labels, order, clusters):
    """For every object in order, {cluster: sum of 1 - 2 C over its objects so far}, of those not apart everywhere."""
    together = np.mean([comembership(column)[0] for column in labels.T], axis=0)
    for place, i in enumerate(order):
        earlier = order[:place]
        near = together[i, earlier] > 0.0
        members = {c: earlier[clusters[earlier] == c] for c in set(clusters[earlier[near]])}
        yield i, {c: np.sum(1.0 - 2.0 * together[i, objects]) for c, objects in members.items()}


def all_partitions(n, k):
    """Every labelling of n objects with at most k clusters, each partition once."""
    for codes in product(range(k), repeat=n):
        seen = -1
        for code in codes:
            if code > seen + 1:
                break
            seen = max(seen, code)
        else:
            yield np.array(codes)


def weights_by_cvxpy(losses, *, rho=None, lam=0.0, eta=0.0):
    """cvxpy: the weight problems, for a (n_cases, m) matrix of losses at once (they separate); scalars or per case.

    The l2 problem is divided by lambda, which does not move its solution and gives all cases one curvature.
    """
    import cvxpy as cp

    cases, m = losses.shape
    column = lambda value: np.broadcast_to(np.reshape(value, (-1, 1)), (cases, 1))  # noqa: E731
    alpha = cp.Variable((cases, m), nonneg=True)
    constraints = [cp.sum(alpha, axis=1) == 1.0]
    if rho is not None:
        constraints.append(alpha <= np.broadcast_to(column(rho), (cases, m)))
    value = cp.sum(cp.multiply(losses, alpha))
    if np.any(lam):
        value = cp.sum(cp.multiply(losses / column(lam), alpha)) + 0.5 * cp.sum_squares(alpha)
    if eta:
        value -= eta * cp.sum(cp.entr(alpha))
    # Exponential cones do not reach what linear and quadratic problems do.
    tol = 1e-8 if eta else 1e-11
    cp.Problem(cp.Minimize(value), constraints).solve(
        solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol
    )
    return alpha.value


def balanced_partitions(n, k, largest):
    """Every partition into exactly k clusters of at most `largest` objects."""
    for codes in all_partitions(n, k):
        sizes = np.bincount(codes, minlength=k)
        if sizes.min() > 0 and sizes.max() <= largest:
            yield codes


def edge_cut(A, codes):
    """Sum of A over the pairs that are apart."""
    return sum(A[i, j] for i, j in combinations(range(len(codes)), 2) if codes[i] != codes[j])


def hyperedge_cut(labels, codes, weights):
    """Weight of the clusters with objects in more than one cluster of codes."""
    return sum(
        weights[u] * (len(np.unique(codes[labels[:, u] == a])) > 1)
        for u in range(labels.shape[1])
        for a in np.unique(labels[:, u])
        if a != -1
    )


def indicator_lists(labels):
    """[(set of objects, partition)] of all clusters, in the order of partitions and labels."""
    return [
        (set(np.flatnonzero(column == a)), u)
        for u, column in enumerate(labels.T)
        for a in np.unique(column[column != -1])
    ]


def single_moves(labels, clusters, weights, n_clusters, sample_weight=None, groups=None):
    """(n, n_clusters) change of the weighted loss of a hard consensus when one object alone moves to each cluster.

    groups : (n, n) the objects that move together with each, instead of one alone.
    """
    eye, groups = np.eye(n_clusters), np.eye(len(clusters), dtype=bool) if groups is None else groups
    here = weights @ losses(labels, eye[clusters], sample_weight=sample_weight)
    changes = np.zeros((len(clusters), n_clusters))
    for i, c in np.ndindex(changes.shape):
        moved = np.where(groups[i], c, clusters)
        changes[i, c] = weights @ losses(labels, eye[moved], sample_weight=sample_weight) - here
    return changes


def group_moves(labels, clusters, weights, n_clusters):
    """(n, n_clusters) the same when the objects of equal labels in all partitions move together with object i."""
    groups = (labels[:, np.newaxis] == labels).all(axis=2)
    return single_moves(labels, clusters, weights, n_clusters, groups=groups)


def partition_lower_bound(labels, weights, n_clusters, sample_weight=None):
    """cvxpy: least objective over the relaxation of partitions by a semidefinite matrix and triangle inequalities."""
    import cvxpy as cp

    n = len(partitions_of(labels)[0])
    Z = cp.Variable((n, n), symmetric=True)
    gram = cp.Variable((n, n), PSD=True)
    value = sum(
        weight * factor * (cp.sum(cp.multiply(pairs * (1.0 - 2.0 * together), Z)) + (pairs * together**2).sum())
        for weight, (together, pairs, factor) in zip(weights, pair_terms(labels, sample_weight), strict=True)
    )
    ones = np.ones((1, n))
    constraints = [gram + 1.0 / n_clusters == Z, Z >= 0.0, Z <= 1.0, cp.diag(Z) == 1.0]
    constraints += [Z[:, [j]] @ ones + ones.T @ Z[[j], :] - Z <= 1.0 for j in range(n)]
    problem = cp.Problem(cp.Minimize(value), constraints)
    problem.solve(solver=cp.CLARABEL)
    return problem.value


def triangle_lower_bound(costs):
    """Linear program: least sum of costs over pairs (both orders), 0 <= z <= 1 and all triangle inequalities."""
    pairs = {pair: number for number, pair in enumerate(combinations(range(len(costs)), 2))}
    rows = []
    for i, k in pairs:
        for j in set(range(len(costs))) - {i, k}:
            row = np.zeros(len(pairs))
            row[pairs[min(i, j), max(i, j)]] = row[pairs[min(j, k), max(j, k)]] = 1.0
            row[pairs[i, k]] = -1.0
            rows.append(row)
    return linprog([2.0 * costs[pair] for pair in pairs], A_ub=rows, b_ub=np.ones(len(rows)), bounds=(0.0, 1.0)).fun


def packed_triangles(costs):
    """Greedy multipliers {(i, j, k): amount} of z_ij + z_jk - z_ik <= 1, and what they leave of the costs."""
    costs, packed = costs.copy(), {}
    for i in range(len(costs)):
        for k in range(i):
            for j in range(len(costs)):
                amount = min(-costs[i, j], -costs[j, k], costs[i, k])
                if j not in (i, k) and amount > 0.0:
                    packed[i, j, k] = amount
                    for (a, b), change in (((i, j), amount), ((j, k), amount), ((i, k), -amount)):
                        costs[a, b] += change
                        costs[b, a] += change
    return packed, costs


def violated_triangles(z, per_pair, least):
    """{(i, j, k)} with z_ij + z_jk - z_ik > 1 + least, i > k: the worst for every pair (i, k)."""
    found = set()
    for i in range(len(z)):
        for k in range(i):
            others = [j for j in range(len(z)) if j not in (i, k) and z[i, j] + z[j, k] - z[i, k] > 1.0 + least]
            others.sort(key=lambda j: -z[i, j] - z[j, k])
            found |= {(i, j, k) for j in others[:per_pair]}
    return found


def eckart_young_bound(labels, weights, n_clusters, sample_weight=None):
    """What a complete ensemble costs at least: low-rank fit of the centred n x n matrix."""
    C, spread, scale = coassociation_terms(labels, weights, sample_weight)
    centred = scale * (C - 1.0 / n_clusters)
    captured = np.maximum(np.sort(np.linalg.eigvalsh(centred))[len(C) - n_clusters + 1 :], 0.0)
    return (centred**2).sum() - (captured**2).sum() + spread


def coassociation_terms(labels, weights, sample_weight=None):
    """C, the loss of Y'Y = C, and sqrt(w_i w_j) of a complete ensemble."""
    terms = list(pair_terms(labels, sample_weight))
    C = sum(weight * together for weight, (together, _, _) in zip(weights, terms, strict=True))
    spread = sum(
        weight * (pairs * (together - C) ** 2).sum()
        for weight, (together, pairs, _) in zip(weights, terms, strict=True)
    )
    return C, spread, np.sqrt(terms[0][1])


def membership_lower_bound(labels, weights, n_clusters, sample_weight=None):
    """cvxpy: the same with 0 <= Z <= 1, over the convex envelope of |M|^2 on semidefinite matrices of rank k - 1."""
    import cvxpy as cp

    C, spread, scale = coassociation_terms(labels, weights, sample_weight)
    n, mean = len(C), scale / n_clusters
    # M P^-1 M below W, with P between 0 and the identity and of trace k - 1: the trace of W is the envelope.
    block = cp.Variable((2 * n, 2 * n), PSD=True)
    P = block[:n, :n]
    M = block[:n, n:]
    W = block[n:, n:]
    constraints = [np.eye(n) - P >> 0, cp.trace(P) <= n_clusters - 1.0, M >> 0]
    constraints += [M + mean >= 0.0, M + mean <= scale, M == M.T]
    value = cp.trace(W) + 2.0 * cp.sum(cp.multiply(mean - scale * C, M)) + ((mean - scale * C) ** 2).sum() + spread
    problem = cp.Problem(cp.Minimize(value), constraints)
    problem.solve(solver=cp.CLARABEL)
    return problem.value


def relabelled_agreements(membership, partition):
    """|Y X'|^2 for every permutation of the observed objects of a partition: a (n!,) array."""
    observed = partition != -1
    gram, other = membership[observed] @ membership[observed].T, comembership(partition[observed])[0]
    orders = np.array(list(permutations(range(observed.sum()))))
    return np.einsum("ij,tij->t", gram, other[orders[:, :, None], orders[:, None, :]])


def adjusted_wallace(first, second):
    """Both adjusted Wallace coefficients of two complete partitions, pair of objects by pair of objects.

    Of the pairs that one joins, the share that the other joins, less the share that it joins of all pairs, over one
    less that share.
    """
    pairs = [(first[i] == first[j], second[i] == second[j]) for i, j in combinations(range(len(first)), 2)]
    found = []
    for one in (0, 1):
        of_all = sum(pair[1 - one] for pair in pairs) / len(pairs)
        joined = [pair[1 - one] for pair in pairs if pair[one]]
        found.append((sum(joined) / len(joined) - of_all) / (1.0 - of_all))
    return found


def cluster_jaccard(labels):
    """Jaccard indices of all base clusters, as sets of objects that both partitions observe; diagonal 0."""
    sets = indicator_lists(labels)
    J = np.zeros((len(sets), len(sets)))
    for a, (one, u) in enumerate(sets):
        for b, (other, v) in enumerate(sets):
            seen = set(np.flatnonzero((labels[:, u] != -1) & (labels[:, v] != -1)))
            either = (set(one) | set(other)) & seen
            if a != b and either:
                J[a, b] = len(set(one) & set(other)) / len(either)
    return J


def cluster_trajectories(labels, n_steps):
    """Rows of P, P^2, ..., P^n_steps side by side, for the walk between base clusters by Jaccard index."""
    P = cluster_jaccard(labels)
    for a in range(len(P)):
        if P[a].sum() > 0.0:
            P[a] /= P[a].sum()
    return np.hstack([np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)])


def transfer_cut_rows(B, k):
    """Rows of D^-1 B N^-1/2 V of length one, by the steps of the transfer cut; B is (n, K) and has no empty row."""
    D = np.diag(B.sum(axis=1))
    W = B.T @ np.linalg.inv(D) @ B
    root = np.diag(W.sum(axis=1) ** -0.5)
    V = np.linalg.eigh(root @ W @ root)[1][:, -k:]
    lifted = np.linalg.inv(D) @ B @ root @ V
    return lifted / np.linalg.norm(lifted, axis=1, keepdims=True)


def base_cluster_weights(labels, weights, theta):
    """w_l of all base clusters, one list per partition, by loops over clusters and partitions."""
    total = sum(weights)
    raw = []
    for column in labels.T:
        n_u, of_u = np.sum(column != -1), []
        for a in np.unique(column[column != -1]):
            inside = labels[column == a]
            mean = 0.0
            seen = 0.0
            for v, weight in enumerate(weights):
                others = inside[:, v][inside[:, v] != -1]
                if len(others):
                    p = np.unique(others, return_counts=True)[1] / len(others)
                    mean -= weight / total * (p * np.log2(p)).sum()
                    seen += weight / total
            of_u.append(np.exp(-(mean / seen if seen else 0.0) / theta) * n_u / len(inside))
        raw.append(np.array(of_u))
    sums, pairs = merged_pairs(labels, weights, raw)
    return [values * pairs.sum() / sums.sum() for values in raw]


def merged_pairs(labels, weights, cluster_weights):
    """(n, n) sums over the partitions that see a pair: of what its common clusters add, and of weights."""
    n, m = labels.shape
    sums, pairs = np.zeros((n, n)), np.zeros((n, n))
    for u in range(m):
        names = list(np.unique(labels[:, u][labels[:, u] != -1]))
        for i, j in product(range(n), repeat=2):
            a, b = labels[i, u], labels[j, u]
            if a != -1 and b != -1:
                pairs[i, j] += weights[u] / sum(weights)
                if a == b:
                    sums[i, j] += weights[u] / sum(weights) * cluster_weights[u][names.index(a)]
    return sums, pairs


def product_sums(sums, pairs, groups):
    """The sums of s q over the pairs that partitions observe; walks are added step by step.

    A walk continues with probability .95, in proportion to the mean s over the partitions that observe a pair. Pairs of
    an object with itself have the mean of two objects in the same group, if there are any.
    """
    flow = np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)
    degrees = flow.sum(axis=1)
    step = flow / degrees[:, np.newaxis]
    walks = np.zeros_like(flow)
    last = flow
    while last.max() > 1e-18 * flow.max():
        walks, last = walks + last, 0.95 * last @ step
    own = np.sqrt(np.diag(walks))
    product = flow * np.minimum(walks / np.outer(own, own), 1.0) * pairs
    itself = np.eye(len(sums), dtype=bool)
    together = np.equal.outer(groups, groups) & ~itself
    together = together if together.any() else itself
    product[itself] = pairs[itself] * product[together].sum() / pairs[together].sum()
    return product


def naive_merges(sums, pairs, power=0.2):
    """[(similarity, groups left)] of all merges of the most similar two groups, everything summed anew."""

    def mean(one, other):
        seen = pairs[np.ix_(one, other)].sum()
        return sums[np.ix_(one, other)].sum() / seen if seen else 0.0

    def similarity(one, other):
        inside = mean(one, one) * mean(other, other)
        return mean(one, other) / inside**power if inside else 0.0

    groups = [[i] for i in range(len(sums))]
    merges = []
    while len(groups) > 1:
        found = [(similarity(*pair), pair) for pair in combinations(groups, 2)]
        largest, (one, other) = max(found, key=lambda found: found[0])
        groups = [*(group for group in groups if group not in (one, other)), one + other]
        merges.append((largest, [sorted(group) for group in groups]))
    return merges


def together_in(labels):
    """(..., n, n) whether two objects share a label, of labellings (..., n)."""
    return labels[..., :, None] == labels[..., None, :]


def hard_loss(name, cost, together, column, sample_weight=None):
    """Loss of partitions, given by what is together in them (..., n, n), against one that may miss objects: (...,).

    Pair counting and entropy as they are defined, on the objects that the column observes.
    """
    seen = np.flatnonzero(column != -1)
    w = np.ones(len(column)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    w = w[seen]
    T, U = together[..., seen[:, None], seen].astype(float), together_in(column[seen]).astype(float)
    pairs = np.outer(w, w)

    def entropy(z):
        share = (z @ w) / w.sum()
        return -np.where(w > 0.0, w * np.log2(np.where(w > 0.0, share, 1.0)), 0.0).sum(axis=-1) / w.sum()

    if name == "binder":
        return (pairs * (cost * U * (1.0 - T) + (2.0 - cost) * T * (1.0 - U))).sum(axis=(-2, -1)) / w.sum() ** 2
    joint = entropy(T * U)
    return cost * (joint - entropy(U)) + (2.0 - cost) * (joint - entropy(T))


def hard_losses(name, cost, labels, consensus, sample_weight=None):
    """(..., m) losses of labellings (..., n) against all columns."""
    together = together_in(np.asarray(consensus))
    return np.stack([hard_loss(name, cost, together, column, sample_weight) for column in labels.T], axis=-1)


@cache
def every_partition(n):
    """(Bell number, n) every partition of n objects once, as a restricted growth string."""
    rows = [[0]]
    for _ in range(n - 1):
        rows = [[*row, code] for row in rows for code in range(max(row) + 2)]
    return np.array(rows)


def moved_and_merged(consensus, limit):
    """Every partition that one object's move, or a merge of two clusters, makes of a labelling 0, 1, ..."""
    k = int(consensus.max()) + 1
    found = [np.where(consensus == b, a, consensus) for a, b in combinations(range(k), 2)]
    for i, c in np.ndindex(len(consensus), min(k + 1, limit)):
        moved = consensus.copy()
        moved[i] = c
        found.append(moved)
    return np.reshape(found, (len(found), len(consensus))).astype(int)


def rotations(k, rng):
    """A random orthogonal matrix of k clusters that keeps the vector of ones."""
    basis = np.linalg.qr(np.column_stack([np.ones(k), rng.standard_normal((k, k - 1))]))[0]
    inner = np.linalg.qr(rng.standard_normal((k - 1, k - 1)))[0]
    return np.full((k, k), 1.0 / k) + basis[:, 1:] @ inner @ basis[:, 1:].T


def admissible_rotation(membership, rng, n_steps=10):
    """A random rotation that keeps a membership in the simplex, by steps in directions that do so at first order.

    A direction is a linear program: random, and away from the memberships that are almost zero.
    """
    k = membership.shape[1]
    Q = np.eye(k)
    centre = np.eye(k) - 1.0 / k
    pairs = list(combinations(range(k), 2))
    units = np.array([np.outer(np.eye(k)[a], np.eye(k)[b]) for a, b in pairs])
    generators = centre @ (units - units.transpose(0, 2, 1)) @ centre
    for _ in range(n_steps):
        turned = membership @ Q.T
        near = turned < 0.01
        slopes = np.einsum("jpq,iq->jip", generators, turned)[:, near].T
        objective = -np.append(rng.standard_normal(len(pairs)), 100.0)
        rows, bounds = np.column_stack([-slopes, np.ones(len(slopes))]), [(-1.0, 1.0)] * len(pairs) + [(0.0, 0.005)]
        direction = linprog(objective, rows, np.maximum(turned[near], 0.0), bounds=bounds).x[:-1]
        for length in 0.5 ** np.arange(12.0):
            step = expm(length * np.tensordot(direction, generators, 1)) @ Q
            if (membership @ step.T).min() >= 0.0:
                Q = step
                break
    return Q


def turns_of_three(n_angles):
    """(n_angles, 3, 3) all rotations of three clusters but for permutations, with the identity."""
    angles = np.linspace(-np.pi / 3.0, np.pi / 3.0, n_angles)
    shift = np.roll(np.eye(3), 1, axis=0)
    a, b, c = (np.cos(angles + 2.0 * np.pi * p / 3.0)[:, np.newaxis, np.newaxis] for p in range(3))
    return ((1.0 + 2.0 * a) * np.eye(3) + (1.0 + 2.0 * b) * shift + (1.0 + 2.0 * c) * shift.T) / 3.0


def consensus_values(labels):
    """(n, n) consensus value of every pair of objects, nan if no partition observes both; how many observe them."""
    pairs = [comembership(column) for column in labels.T]
    together, joint = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    return np.divide(together, joint, out=np.full_like(joint, np.nan), where=joint > 0.0), joint


def consensus_curve(labels, bounds=(0.1, 0.9)):
    """cdf at 0, .01, ..., 1, area over it and share of ambiguous pairs of one group, in exact fractions."""
    values, joint = consensus_values(labels)
    pairs = [(i, j) for i, j in combinations(range(len(labels)), 2) if joint[i, j] > 0.0]
    shares = Counter(Fraction(round(values[pair] * joint[pair]), int(joint[pair])) for pair in pairs)
    cdf = [sum(n for share, n in shares.items() if share <= Fraction(step, 100)) / len(pairs) for step in range(101)]
    low, high = (Fraction(str(bound)) for bound in bounds)
    area = float(1 - sum(share * n for share, n in shares.items()) / len(pairs))
    return np.array(cdf), area, sum(n for share, n in shares.items() if low < share < high) / len(pairs)


def item_consensus(labels, consensus, i, cluster):
    """Consensus value of an object with the others of a cluster: sums over pairs and partitions, one by one."""
    others = [j for j in range(len(labels)) if consensus[j] == cluster and j != i]
    seen = [(u, j) for j in others for u in range(labels.shape[1]) if labels[i, u] != -1 != labels[j, u]]
    return sum(labels[i, u] == labels[j, u] for u, j in seen) / len(seen) if seen else np.nan


def largest_overlap(first, second):
    """Largest number of objects in matched clusters, over all one-to-one matchings; -1 is unknown."""
    known = (first != -1) & (second != -1)
    few, many = sorted((first[known], second[known]), key=lambda labels: len(set(labels)))
    clusters = sorted(set(few))
    images = permutations(sorted(set(many)), len(clusters))
    return max(sum(np.sum((few == a) & (many == b)) for a, b in zip(clusters, image, strict=True)) for image in images)


def table_2(E):
    """Table 2 of paper 004, line by line, for the matrix E^f (n, n): the matrix P (n, K)."""
    N = len(E)
    P, K = [[] for _ in range(N)], 0
    for n in range(N):
        if all(entry == 0 for entry in P[n]) and sum(entry > 0 for entry in E[n]) > 1:
            K += 1
            for i in range(N):
                P[i].append(E[n][i])
    return np.array(P)
