"""SQL macros, views, tables and checks against references that were not written here."""
