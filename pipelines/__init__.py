"""Orchestration: Dagster definitions and the callake command.

Belongs here: the assets, checks, schedule and sensor; the steps of a build; the processes it runs in; reading inputs
from disk.

Does not belong here: what a byte or a row means (`transforms`), where a published file stands (`warehouse`), a query
(`sql/`).
"""
