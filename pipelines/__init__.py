"""Orchestration: Dagster definitions and the callake command."""
