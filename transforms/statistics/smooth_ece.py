"""Smooth ECE (Błasiok and Nakkiran, 2023), as their library `relplot` 1.0.3 discretises it."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import scipy.fft

from transforms.statistics.rows import FloatArray, Rows, sums

_MESH_POINTS: Final = 200
_GRID_POINTS: Final = 2_000
_SMALLEST_BANDWIDTH: Final = 0.001
_DENSITY_FLOOR: Final = 0.0001
_HALVINGS: Final = 10


class SmoothEce(NamedTuple):
    """The error, in [0, 1], and the bandwidth of the kernel it was found with."""

    error: float
    bandwidth: float


def smooth_ece(rows: Rows) -> SmoothEce:
    """Return smooth ECE at the bandwidth where the error equals the bandwidth, found by ten halvings from 1.

    Rows have a confidence in [0, 1]; there is at least one.
    """
    bandwidth = _fixed_point(rows)
    return SmoothEce(smooth_ece_at(rows, bandwidth), bandwidth)


def _fixed_point(rows: Rows) -> float:
    def is_too_narrow(bandwidth: float) -> bool:
        return bandwidth < _SMALLEST_BANDWIDTH or bandwidth < smooth_ece_at(rows, bandwidth)

    wide, narrow = 1.0, 0.0  # the error stays below 1
    for _ in range(_HALVINGS):
        middle = (wide + narrow) / 2
        if is_too_narrow(middle):
            narrow = middle
        else:
            wide = middle
    return wide


def smooth_ece_at(rows: Rows, bandwidth: float) -> float:
    """Return smooth ECE at a fixed bandwidth: mean |smoothed residual| over the smoothed density."""
    levels = rows.levels
    masses = np.stack([levels.n * levels.value - levels.k, levels.n])
    points = max(_GRID_POINTS, round(20 / bandwidth)) // 2 + 1
    smoothed = _convolve_reflected(_on_grid(levels.value, masses, points), bandwidth)
    residual, density = _at_mesh(smoothed, max(round(10 / bandwidth), _MESH_POINTS))
    return float(np.abs(residual).sum() / (density + _DENSITY_FLOOR).sum())


def _on_grid(value: FloatArray, masses: FloatArray, points: int) -> FloatArray:
    """Share each mass between the two grid points around its value, shape (masses, points)."""
    position = value * (points - 1)
    left = np.clip(position.astype(np.int64), 0, points - 2)
    share = position - left
    return np.stack([sums(left, (1 - share) * m, points) + sums(left + 1, share * m, points) for m in masses])


def _convolve_reflected(grid: FloatArray, bandwidth: float) -> FloatArray:
    """Convolve each row with a Gaussian cut off at half the unit interval, the row reflected at both ends."""
    points = grid.shape[1]
    offset = np.linspace(0, 1, points) - 0.5
    kernel = np.exp(-offset * offset / (2 * bandwidth**2)) / (np.sqrt(2 * np.pi) * bandwidth)
    mirrored = np.concatenate([grid[:, :0:-1], grid, grid[:, -2::-1]], axis=1)
    length = scipy.fft.next_fast_len(mirrored.shape[1], real=True)
    product = scipy.fft.rfft(mirrored, length) * scipy.fft.rfft(kernel, length)
    first = points - 1 + points // 2
    return np.asarray(scipy.fft.irfft(product, length))[:, first : first + points]


def _at_mesh(grid: FloatArray, mesh_points: int) -> FloatArray:
    """Interpolate each row linearly at evenly spaced points of [0, 1]."""
    position = np.linspace(0, 1, mesh_points) * (grid.shape[1] - 1)
    left = np.clip(position.astype(np.int64), 0, grid.shape[1] - 2)
    share = position - left
    return np.asarray(grid[:, left] * (1 - share) + grid[:, left + 1] * share)
