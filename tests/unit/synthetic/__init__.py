"""The generators: what they write follows the raw formats, is repeatable, and has the truth it claims."""
