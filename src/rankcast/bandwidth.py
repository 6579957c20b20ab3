"""Bandwidths of Gaussian kernel densities by cross-validation, for many samples at once.

A criterion is evaluated at a few Chebyshev nodes of log h in the search interval. It is so smooth there that
the polynomial through them is as good as the criterion, and searching a polynomial costs next to nothing.
"""

from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from ._typing import FloatArray, IntArray
from .cross_validation import ROWS_AT_ONCE, Criterion, criterion_values
from .errors import InputError

Search = Literal["global", "local"]

SPAN = 10.0  # largest over smallest bandwidth searched
_NODES = 24
_GOLDEN = (3 - np.sqrt(5)) / 2
_FINE = 512  # steps of the grid on which the polynomial is searched


def bandwidth(rows: FloatArray, criterion: Criterion = "bcv", *, search: Search = "global") -> FloatArray:
    """Bandwidth of a Gaussian kernel density for each row, by cross-validation.

    Minimises, over h in [0.1, 1] · 1.144 · sd · n^(-1/5) (the interval of R's ``bw.bcv`` and ``bw.ucv``), with
    δ = (x_i - x_j)/h,

    - ``"ucv"``: (1/2 + Σ_{i<j} (exp(-δ²/4) - √8 exp(-δ²/2)) / n) / (n h √π), an unbiased estimate of the
      integrated squared error, short of a constant;
    - ``"bcv"``: (1 + Σ_{i<j} exp(-δ²/4) (δ⁴ - 12 δ² + 12) / (32 n)) / (2 n h √π), a biased one that varies
      less;
    - ``"plcv"``: -Σ_i log f_{-i}(x_i), the likelihood of each value under the density of the others.

    Parameters
    ----------
    rows : array of shape (samples, n)
        A sample in each row; finite, of any scale.
    criterion : {"bcv", "ucv", "plcv"}
        What to minimise.
    search : {"global", "local"}
        The lowest point in the interval, or the point where R's search stops: Brent's method from the golden
        section of the interval, to within a hundredth of its upper end. That may be a minimum which is not
        the lowest, and it falls short of a minimum at the end of the interval by about 0.6%.

    Returns
    -------
    ndarray
        A bandwidth for each row; zero where all values are equal, or there is only one.

    Examples
    --------
    >>> bandwidth(np.array([[0.0, 0.1, 0.3, 1.0, 4.0, 4.2, 4.5, 5.0]]), "ucv").round(3)
    array([0.689])
    """
    samples = np.asarray(rows, np.float64)
    if samples.ndim != 2 or samples.shape[1] == 0:
        raise InputError(f"rows must be a matrix with a sample in each row, found shape {samples.shape}")
    samples, _, exponent = unit_scale(samples)
    return np.asarray(np.ldexp(select_each(samples, (criterion,), search)[0], exponent))


def select_each(samples: FloatArray, criteria: tuple[Criterion, ...], search: Search) -> list[FloatArray]:
    """Bandwidths as :func:`bandwidth` finds them, for rows at unit scale, by each criterion.

    "bcv" and "ucv" share most of their work; "plcv" goes alone.
    """
    for criterion in criteria:
        if criterion not in get_args(Criterion):
            raise InputError(f"criterion must be one of {', '.join(get_args(Criterion))}, not {criterion!r}")
    if search not in get_args(Search):
        raise InputError(f"search must be one of {', '.join(get_args(Search))}, not {search!r}")
    top = samples.max(axis=1)
    smallest = np.where(top > 0, _smallest(samples), 0.0)
    values = np.zeros((len(criteria), len(samples), _NODES))
    for part, found in criterion_values(samples, top, smallest, criteria, _nodes()):
        values[:, part] = found
    minimise = _lowest if search == "global" else _brent
    return [np.asarray(smallest * minimise(each @ _transform())) for each in values]


def unit_scale(rows: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Rows that start at zero, where they started, and the powers of two that were taken out of both.

    A power of two is taken out only where squares of the values could overflow or vanish.
    """
    low, high = rows.min(axis=1), rows.max(axis=1)
    size = np.maximum(np.abs(low), np.abs(high))
    extreme = (size > 1e100) | ((size < 1e-100) & (size > 0))
    exponent = np.where(extreme, np.frexp(size)[1], 0).astype(np.int64)
    if extreme.any():
        rows, low = np.ldexp(rows, -exponent[:, None]), np.ldexp(low, -exponent)
    return rows - low[:, None], low, exponent


def _smallest(samples: FloatArray) -> FloatArray:
    """Lower end of the search interval for each row that starts at zero."""
    n = samples.shape[1]
    squares = np.einsum("ij,ij->i", samples, samples) - samples.sum(axis=1) ** 2 / n
    deviation = np.sqrt(np.maximum(squares, 0.0) / max(n - 1, 1))
    return np.asarray(1.144 / SPAN * n**-0.2 * deviation)


# -- the search ------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _nodes() -> tuple[float, ...]:
    """Bandwidths at which the criterion is evaluated, in units of the smallest."""
    return tuple((SPAN ** (0.5 + 0.5 * np.cos(np.pi * np.arange(_NODES) / (_NODES - 1)))).tolist())


@lru_cache(maxsize=1)
def _transform() -> FloatArray:
    """From values at the nodes to Chebyshev coefficients of the polynomial in log h through them."""
    last = _NODES - 1
    order = np.arange(_NODES)
    end = np.where((order == 0) | (order == last), 0.5, 1.0)
    return np.asarray(2 / last * np.outer(end, end) * np.cos(np.pi / last * np.outer(order, order)))


@lru_cache(maxsize=1)
def _to_fine_grid() -> FloatArray:
    """From Chebyshev coefficients to values of the polynomial on the fine grid."""
    return np.asarray(np.cos(np.outer(np.arange(_NODES), np.arccos(np.linspace(-1.0, 1.0, _FINE + 1)))))


def _value(coefficients: FloatArray, h: FloatArray) -> FloatArray:
    angle = np.arccos(np.clip(2 * np.log(h) / np.log(SPAN) - 1, -1.0, 1.0))
    return np.asarray(np.einsum("ij,ij->i", coefficients, np.cos(angle[:, None] * np.arange(_NODES))))


def _lowest(coefficients: FloatArray) -> FloatArray:
    """Where each polynomial is lowest: the best point of a fine grid, then a parabola through three."""
    refined = np.empty(len(coefficients))
    for start in range(0, len(coefficients), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        grid = coefficients[part] @ _to_fine_grid()
        best, row = grid.argmin(axis=1), np.arange(len(grid))
        inside = np.clip(best, 1, _FINE - 1)
        left, middle, right = (grid[row, inside + i] for i in (-1, 0, 1))
        bend = left - 2 * middle + right
        shift = np.divide(left - right, 2 * bend, out=np.zeros_like(bend), where=bend > 0)
        refined[part] = np.where(bend > 0, inside + np.clip(shift, -1.0, 1.0), best)
    return np.asarray(SPAN ** (refined / _FINE))


def _brent(coefficients: FloatArray) -> FloatArray:
    """A local minimum of each polynomial by Brent's method, stopped where R's ``bw.*`` stop by default.

    [a, b] brackets the minimum, x, w and v are the best three points so far, d and e the last two steps.
    """
    rows = len(coefficients)
    a, b, d, e = np.ones(rows), np.full(rows, SPAN), np.zeros(rows), np.zeros(rows)
    x: FloatArray = a + _GOLDEN * (b - a)
    w = v = x
    fx = fw = fv = _value(coefficients, x)
    while True:
        middle, close = (a + b) / 2, np.sqrt(np.finfo(np.float64).eps) * x + SPAN / 300
        live = np.abs(x - middle) > 2 * close - (b - a) / 2
        if not live.any():
            return x
        d, e = _brent_step((a, b), (x, w, v), (fx, fw, fv), (d, e), close)
        u = x + np.where(np.abs(d) >= close, d, np.where(d > 0, close, -close))
        fu = _value(coefficients, u)
        better, worse, left = live & (fu <= fx), live & (fu > fx), u < x
        a = np.where(better & ~left, x, np.where(worse & left, u, a))
        b = np.where(better & left, x, np.where(worse & ~left, u, b))
        second = worse & ((fu <= fw) | (w == x))
        third = worse & ~second & ((fu <= fv) | (v == x) | (v == w))
        v, fv = (np.where(better | second, p, np.where(third, q, r)) for p, q, r in ((w, u, v), (fw, fu, fv)))
        w, fw = (np.where(better, p, np.where(second, q, r)) for p, q, r in ((x, u, w), (fx, fu, fw)))
        x, fx = np.where(better, u, x), np.where(better, fu, fx)


def _brent_step(
    bracket: tuple[FloatArray, FloatArray],
    points: tuple[FloatArray, FloatArray, FloatArray],
    values: tuple[FloatArray, FloatArray, FloatArray],
    steps: tuple[FloatArray, FloatArray],
    close: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The next step and the one before: to the vertex of a parabola if that can be trusted, else golden."""
    (a, b), (x, w, v), (fx, fw, fv), (d, e) = bracket, points, values, steps
    r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
    p, q = (x - v) * q - (x - w) * r, 2 * (q - r)
    p, q = np.where(q > 0, -p, p), np.abs(q)
    fit = (np.abs(e) > close) & (np.abs(p) < np.abs(0.5 * q * e)) & (p > q * (a - x)) & (p < q * (b - x))
    vertex = np.divide(p, q, out=np.zeros_like(p), where=fit)
    past_middle = x >= (a + b) / 2
    at_edge = (x + vertex - a < 2 * close) | (b - x - vertex < 2 * close)
    vertex = np.where(at_edge, np.where(past_middle, -close, close), vertex)
    longer = np.where(past_middle, a - x, b - x)
    return np.where(fit, vertex, _GOLDEN * longer), np.where(fit, d, longer)
