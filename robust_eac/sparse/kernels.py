"""Compiled kernels of the solver for many clusters: memberships, S and G as sparse rows.

Notation and arguments: see rows. An object can gain only in the clusters of the objects that share a base cluster
with it, and in one that it has nothing to do with; no other cluster is looked at.
"""

import numpy as np
from numba import njit

from ..solve.kernels import minimise_quartic, quartic_value
from .rows import Near

# numba's disk cache notices changes of this file, not of what it calls in kernels.py. A test asks for the checksum of
# that here, so that this file changes too.
CALLED = 0x95623D5E


@njit(cache=True, nogil=True)
def note(c, n, near):
    """Give a cluster the next local number; returns how many there are."""
    near.place[c] = n
    near.cluster[n], near.e[n], near.tilt[n] = c, 0.0, 0.0
    return n + 1


@njit(cache=True, nogil=True)
def add_row(rows, r, factor, n, near):
    """Add a multiple of a sparse row to e, noting clusters that are new; returns how many are near."""
    place, e, first, end = near.place, near.e, rows.start[r], rows.start[r] + rows.length[r]
    columns, values = rows.columns[first:end], rows.values[first:end]
    for t in range(len(columns)):
        j = place[columns[t]]
        if j < 0:
            j = n
            n = note(columns[t], n, near)
        e[j] += factor * values[t]
    return n


@njit(cache=True, nogil=True)
def find(c, columns):
    """Where a row has column c, -1 if it has not; looking at all columns, several at a time."""
    at = np.int32(-1)
    for t in range(np.int32(len(columns))):
        at = max(at, np.int32(t if columns[t] == c else -1))
    return at


@njit(cache=True, nogil=True)
def shift_row(rows, r, share, near, n_moved):
    """Add `share` times the changes to a row."""
    columns, values, change = rows.columns, rows.values, near.change
    for j in near.moved[:n_moved]:
        if change[j] == 0.0:
            continue
        first, length = rows.start[r], rows.length[r]
        at = find(near.cluster[j], columns[first : first + length])
        if at >= 0:
            values[first + at] += share * change[j]
            continue
        if length == rows.capacity[r]:
            used = rows.used[0]
            for s in range(length):
                columns[used + s], values[used + s] = columns[first + s], values[first + s]
            first = rows.start[r] = used
            rows.capacity[r] = 2 * length + 2
            rows.used[0] = used + rows.capacity[r]
        columns[first + length], values[first + length] = near.cluster[j], share * change[j]
        rows.length[r] += 1


@njit(cache=True, nogil=True)
def room_for(rows, r, n_more):
    """Entries that the end of the arrays must have free before row r may get so many more."""
    length = rows.length[r]
    return 4 * (length + n_more) + 4 if length + n_more > rows.capacity[r] else 0


@njit(cache=True, nogil=True)
def entry(rows, r, c):
    """The value of row r in column c."""
    first = rows.start[r]
    at = find(c, rows.columns[first : first + rows.length[r]])
    return rows.values[first + at] if at >= 0 else 0.0


@njit(cache=True, nogil=True)
def tilt_from(first, n, i, observed, mask_coef, sums, near):
    """Complete the slopes in the clusters from a local number on by what the floors of other rows add."""
    for g in range(observed.shape[1]):
        if observed[i, g]:
            for j in range(first, n):
                near.e[j] += mask_coef[g] * sums.lean[g, near.cluster[j]]
                near.tilt[j] += mask_coef[g] * sums.row_sums[g, near.cluster[j]]


@njit(cache=True, nogil=True)
def falls(n, f, shift, near):
    """Whether a slope in the clusters that are near is negative."""
    for j in range(n):  # noqa: SIM110 -- no `any` of generators in numba
        if near.e[j] + f * near.tilt[j] + shift * near.y[j] < 0.0:
            return True
    return False


@njit(cache=True, nogil=True)
def lowest_elsewhere(i, f, observed, mask_coef, sums, place):
    """The cluster of lowest slope among those that are not near, where no slope is negative."""
    best, least = -1, np.inf
    for c in range(place.shape[0]):
        if place[c] < 0:
            slope = 0.0
            for g in range(observed.shape[1]):
                if observed[i, g]:
                    slope += mask_coef[g] * (f * sums.row_sums[g, c] + sums.lean[g, c])
            if slope < least:
                best, least = c, slope
    return best


@njit(cache=True, nogil=True)
def curvature(i, a, b, observed, coefs, G, sums, near):
    """d'H d of the direction to local cluster a from b, -1 being all clusters alike."""
    k, bend, mask_coef = near.place.shape[0], 0.0, coefs.mask_coef
    for g in range(observed.shape[1]):
        if observed[i, g]:
            if a >= 0 and b >= 0:
                to, off = near.cluster[a], near.cluster[b]
                cross = entry(G, g * k + to, off)
                bend += mask_coef[g] * (sums.diagonal[g, to] + sums.diagonal[g, off] - 2.0 * cross)
            else:
                c = near.cluster[max(a, b)]
                bend += mask_coef[g] * (sums.diagonal[g, c] + (sums.whole[g] / k - 2.0 * sums.row_sums[g, c]) / k)
    return bend


@njit(cache=True, nogil=True)
def follow(i, n_moved, fixed, matrices, near, w, before, after):
    """Let S, G and their sums follow the change of row i; `before` and `after` are its sum of parts and its floor."""
    codes, soft, observed, slot_coef = fixed.data.codes, fixed.data.soft, fixed.data.observed, fixed.coefs.slot_coef
    offsets, soft_slots, (_, _, S, F, G, sums) = fixed.slots.offsets, fixed.slots.soft, matrices
    n_masks, n_hard, k = observed.shape[1], codes.shape[1], near.place.shape[0]
    y, y0, cluster, change, moved = near.y, near.y0, near.cluster, near.change, near.moved
    (part0, f0), (part, f) = before, after
    for j in moved[:n_moved]:
        change[j] = w * (y[j] - y0[j])
        sums.held[cluster[j]] += int(y[j] > 0.0) - int(y0[j] > 0.0)
    for u in range(n_hard + soft.shape[1]):
        slot = offsets[u] + codes[i, u] if u < n_hard else soft_slots[u - n_hard]
        share = 1.0 if u < n_hard else soft[i, u - n_hard]
        if slot_coef[slot] != 0.0 and share != 0.0:
            F[slot] += share * w * (f - f0)
            shift_row(S, slot, share, near, n_moved)
    for g in range(n_masks):
        if observed[i, g]:
            sums.whole[g] += w * (part * part - part0 * part0)
            sums.whole_lean[g] += w * (f * part - f0 * part0)
    for a in moved[:n_moved]:
        ya, ya0, c = y[a], y0[a], cluster[a]
        for j in moved[:n_moved]:
            change[j] = w * (ya * y[j] - ya0 * y0[j])
        for g in range(n_masks):
            if observed[i, g]:
                sums.diagonal[g, c] += change[a]
                sums.row_sums[g, c] += w * (part * ya - part0 * ya0)
                sums.lean[g, c] += w * (f * ya - f0 * ya0)
                shift_row(G, g * k + c, 1.0, near, n_moved)


@njit(cache=True, nogil=True)
def sweep(order, first, fixed, matrices, visit, totals, needed):
    """Visit rows from position `first` of the order on; returns the position reached, before the end if room ran out.

    As :func:`~robust_eac.solve.kernels.sweep`, by pairwise steps between single clusters and all clusters alike.
    totals += the Frank-Wolfe gaps, the decrease and the number of rows that changed. `needed` are the entries that Y, S
    and G have to have.
    """
    (data, slots, coefs), (Y, floor, S, F, G, sums) = fixed, matrices
    codes, soft, observed, multiplicity = data.codes, data.soft, data.observed, data.multiplicity
    offsets, soft_slots = slots.offsets, slots.soft
    slot_coef, mask_coef, own_terms, sizes = coefs.slot_coef, coefs.mask_coef, coefs.own, coefs.sizes
    with_floor, held = coefs.with_floor, sums.held
    n_masks, n_hard, n_soft, k = observed.shape[1], codes.shape[1], soft.shape[1], held.shape[0]
    y, y0, e, tilt = np.zeros(k), np.zeros(k), np.empty(k), np.empty(k)
    place, cluster = np.full(k, -1, dtype=np.int32), np.empty(k, dtype=np.int32)
    moved = np.empty(k, dtype=np.int32)
    near = Near(place, cluster, y, y0, e, tilt, np.empty(k), moved)
    # Clusters without rows, or that had none when they came here.
    waiting = held == 0
    empty, n_empty, cursor = np.empty(k, dtype=np.int32), 0, 0
    for c in range(k - 1, -1, -1):
        if waiting[c]:
            empty[n_empty] = c
            n_empty += 1
    move, gains, loses, turn, turn0, width = 0.0, -1, -1, 0.0, 0.0, 0.0
    for position in range(first, len(order)):
        i = order[position]
        w, f0, n_own, n = multiplicity[i], floor[i], Y.length[i], 0
        f, part0, square = f0, 0.0, 0.0
        for t in range(Y.start[i], Y.start[i] + n_own):
            n = note(Y.columns[t], n, near)
            y[n - 1] = y0[n - 1] = Y.values[t]
            part0 += Y.values[t]
            square += Y.values[t] ** 2
        part = part0
        square += f0 * (2.0 * part0 + k * f0)
        # What the slots say of all clusters, summed.
        votes = 0.0
        for u in range(n_hard + n_soft):
            slot = offsets[u] + codes[i, u] if u < n_hard else soft_slots[u - n_hard]
            factor = slot_coef[slot] if u < n_hard else slot_coef[slot] * soft[i, u - n_hard]
            if factor != 0.0:
                votes += factor * (sizes[slot] - k * F[slot])
                n = add_row(S, slot, -factor, n, near)
        slant, lean_of_all = 0.0, 0.0
        for g in range(n_masks):
            if observed[i, g]:
                slant += mask_coef[g] * sums.whole[g]
                lean_of_all += mask_coef[g] * sums.whole_lean[g]
                for q in range(n_own):
                    n = add_row(G, g * k + cluster[q], mask_coef[g] * y[q], n, near)
        weight, extra = w * own_terms[i, 0], w * own_terms[i, 1]
        shift = weight * (square - 1.0) + extra
        lift, pull = shift, 0.0
        # A slope is e + f tilt + shift y; terms that all clusters share are left out.
        for j in range(n_own):
            e[j] -= lift * y[j]
        if with_floor:
            tilt_from(0, n, i, observed, mask_coef, sums, near)
        if n < k:
            # Where the row has no ties, the slope is lowest in a cluster without rows, if there is one.
            fresh, at = -1, n_empty - 1
            while at >= 0 and fresh < 0:
                c = empty[at]
                if held[c] != 0:
                    n_empty -= 1
                    empty[at], waiting[c] = empty[n_empty], False
                elif place[c] < 0:
                    fresh = c
                at -= 1
            if fresh < 0 and with_floor and not falls(n, f, shift, near):
                fresh = lowest_elsewhere(i, f, observed, mask_coef, sums, place)
            while fresh < 0:
                cursor = cursor + 1 if cursor < k - 1 else 0
                if place[cursor] < 0:
                    fresh = cursor
            n = note(fresh, n, near)
            if with_floor:
                tilt_from(n - 1, n, i, observed, mask_coef, sums, near)
        gap, decrease = 0.0, 0.0
        for step in range(visit.n_steps):
            r = square - 1.0
            shift = weight * r + extra
            p, q, low, high, inside, mean, everywhere = -1, -1, np.inf, -np.inf, 0.0, 0.0, np.inf
            for j in range(n):
                slope = e[j] + f * tilt[j] + shift * y[j]
                if slope < low:
                    p, low = j, slope
                if y[j] > 0.0:
                    inside += y[j] * tilt[j]
                    mean += y[j] * slope
                    if slope > high:
                        q, high = j, slope
            if with_floor:
                everywhere = inside + f * slant + lean_of_all - votes
                everywhere = (everywhere + shift * part - (lift + weight * pull) * part0) / k
                mean += k * f * everywhere
            if step == 0:
                gap = max(mean - min(low, everywhere), 0.0)
                if gap <= visit.skip:
                    break
            # From where the slope is highest to where it is lowest, or to all clusters (-1), which can lead further.
            best = 0.0
            for a in (p, -1):
                b, descent = q, (low if a >= 0 else everywhere) - high
                if a >= 0 and f > 0.0 and everywhere > high:
                    b, descent = -1, low - everywhere
                if not descent < 0.0:
                    continue
                d = (y[a] + f if a >= 0 else 1.0 / k) - (y[b] + f if b >= 0 else 1.0 / k)
                d0 = (y0[a] + f0 if a >= 0 else 1.0 / k) - (y0[b] + f0 if b >= 0 else 1.0 / k)
                length = 2.0 if a >= 0 and b >= 0 else 1.0 - 1.0 / k
                bend = curvature(i, a, b, observed, coefs, G, sums, near) - weight * d0 * d0
                c1 = 4.0 * descent
                c2 = 2.0 * bend + 4.0 * weight * d * d + 2.0 * shift * length
                c3 = 4.0 * weight * d * length
                c4 = weight * length * length
                reach = minimise_quartic(c1, c2, c3, c4, y[b] if b >= 0 else k * f)
                value = quartic_value(reach, c1, c2, c3, c4)
                if value < best:
                    best, move, gains, loses, turn, turn0, width = value, reach, a, b, d, d0, length
            if best == 0.0:
                break
            decrease += best
            square += move * (2.0 * turn + move * width)
            pull += move * turn0
            n_known = n
            for g in range(n_masks):
                if observed[i, g]:
                    if gains >= 0:
                        n = add_row(G, g * k + cluster[gains], move * mask_coef[g], n, near)
                    if loses >= 0:
                        n = add_row(G, g * k + cluster[loses], -move * mask_coef[g], n, near)
            if with_floor:
                tilt_from(n_known, n, i, observed, mask_coef, sums, near)
            for j in range(n_own):
                e[j] -= move * weight * turn0 * y0[j]
            if gains >= 0:
                y[gains] += move
                part += move
            else:
                f += move / k
            if loses >= 0:
                part -= min(move, y[loses])
                y[loses] = y[loses] - move if move < y[loses] else 0.0
            else:
                f = f - move / k if move < k * f else 0.0
        if decrease < 0.0:
            n_kept = 0
            for j in range(n):
                if y[j] > 0.0 or y0[j] > 0.0:
                    moved[n_kept] = j
                    n_kept += 1
            more_s, more_g = 0, 0
            for u in range(n_hard + n_soft):
                more_s += room_for(S, offsets[u] + codes[i, u] if u < n_hard else soft_slots[u - n_hard], n_kept)
            for a in range(n_kept):
                for g in range(n_masks):
                    more_g += room_for(G, g * k + cluster[moved[a]], n_kept)
            needed[0], needed[1], needed[2] = Y.used[0] + 2 * n_kept, S.used[0] + more_s, G.used[0] + more_g
            if needed[0] > len(Y.columns) or needed[1] > len(S.columns) or needed[2] > len(G.columns):
                return position
            if w > 0.0:
                follow(i, n_kept, fixed, matrices, near, w, (part0, f0), (part, f))
                for j in range(n):
                    c = cluster[j]
                    if held[c] == 0 and not waiting[c]:
                        empty[n_empty], waiting[c] = c, True
                        n_empty += 1
            floor[i] = f
            if n_kept > Y.capacity[i]:
                Y.start[i], Y.capacity[i] = Y.used[0], 2 * n_kept
                Y.used[0] += 2 * n_kept
            kept = Y.start[i]
            for j in range(n):
                if y[j] > 0.0:
                    Y.columns[kept], Y.values[kept] = cluster[j], y[j]
                    kept += 1
            Y.length[i] = kept - Y.start[i]
        totals[0] += 4.0 * w * gap
        totals[1] += w * decrease
        totals[2] += decrease < 0.0
        for j in range(n):
            place[cluster[j]] = -1
        y[:n] = y0[:n] = 0.0
    return len(order)
