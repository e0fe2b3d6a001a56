"""SRA: the skill-confidence bundle."""
