"""Every reason to notice something while reading BenchMIRT. Errors refuse the build, the rest is published."""

from __future__ import annotations

from typing import Final

from warehouse.contracts import Rule, Severity

_rules: list[Rule] = []


def _rule(severity: Severity, name: str, description: str) -> Rule:
    rule = Rule(f"benchmirt.{name}", severity, description)
    _rules.append(rule)
    return rule


def _error(name: str, description: str) -> Rule:
    return _rule(Severity.ERROR, name, description)


def _warning(name: str, description: str) -> Rule:
    return _rule(Severity.WARNING, name, description)


def _info(name: str, description: str) -> Rule:
    return _rule(Severity.INFO, name, description)


# The file.
EMPTY_FILE = _error("empty_file", "A file has no bytes, or no row.")
TOO_LARGE = _error("too_large", "A table has more cells or columns than the limit.")
NOT_UTF8 = _error("not_utf8", "A CSV file is not UTF-8.")
NUL_BYTE = _error("nul_byte", "A CSV file holds a NUL byte.")
UNREADABLE = _error("unreadable", "A file is damaged, or is not what its first bytes say.")
OPEN_QUOTE = _error("open_quote", "A CSV file ends inside a quoted field.")
RAGGED_ROW = _error("ragged_row", "A row has more or fewer fields than the header.")
BYTE_ORDER_MARK = _info("byte_order_mark", "A CSV file starts with a byte order mark.")
CRLF = _info("crlf", "Lines of a CSV file end in CRLF.")
JSON_DOCUMENT = _error("json_document", "A JSON array, or an object over several lines, where JSON lines are expected.")
DELIMITER = _info("delimiter", "Fields are separated by something else than a comma.")
SEPARATOR_HINT = _info("separator_hint", "The first line is a spreadsheet's hint, as in sep=;.")
SHORT_HEADER = _info("short_header", "The header lacks a name for the column of row names, as R writes it.")

# What a response table is taken for.
FORM = _info("form", "How the response table is read: form, side of the models, and what decided that.")
NO_HEADER = _error("no_header", "A response table starts with scores where columns have their names.")
UNKNOWN_SIDE = _error("unknown_side", "Nothing says whether a response table has its models in columns or in rows.")
NO_SCORE_COLUMN = _error("no_score_column", "Columns name items and models, and none is known to hold the scores.")
NO_SUCH_COLUMN = _error("no_such_column", "An option names a column that is not there.")
AMBIGUOUS_COLUMN = _error("ambiguous_column", "Several columns may be one thing, or a column is said to be two.")
UNUSED_OPTION = _warning("unused_option", "An option says nothing of a table of this form.")
INDEX_COLUMN = _info("index_column", "A column numbers the rows; it is not read.")
NO_SCORES = _warning("no_scores", "Columns are not read as scores, for their names say that they describe the rows.")

# The response table.
NO_ID_COLUMN = _error("no_id_column", "A table has no column that names its rows.")
NO_MODEL_COLUMN = _error("no_model_column", "A response table has no column of a model.")
REPEATED_COLUMN = _error("repeated_column", "Two columns have one name, or name one model.")
UNNAMED_COLUMN = _error("unnamed_column", "A column has values and no name.")
UNNAMED_MODEL = _error("unnamed_model", "A column has the prefix of models' columns and no name behind it.")
EMPTY_ID = _error("empty_id", "A row does not say which item or model it is.")
REPEATED_ITEM = _error("repeated_item", "An item has two rows.")
REPEATED_MODEL = _error("repeated_model", "A model has two rows.")
REPEATED_RESPONSE = _error("repeated_response", "A model has two responses to an item.")
SIMILAR_NAMES = _warning("similar_names", "Names of models or items differ only in blanks, case or Unicode form.")
NOT_A_NUMBER = _error("not_a_number", "A score is neither a number, nor a truth value, nor missing.")
SCORE_OUT_OF_RANGE = _error("score_out_of_range", "A score is below 0 or above 1.")
UNKNOWN_COLUMN = _warning("unknown_column", "A column that no contract knows.")
NAN_SCORE = _warning("nan_score", "Scores say NaN.")
FRACTIONAL_SCORE = _info("fractional_score", "Scores lie between 0 and 1.")
EMPTY_SCORE = _info("empty_score", "Scores are missing.")
MISSING_WORD = _info("missing_word", "Words such as NA stand where scores are missing.")
TRUTH_WORD = _info("truth_word", "Scores are written as truth values.")
DECIMAL_COMMA = _info("decimal_comma", "Scores have a decimal comma.")
SCORE_FORMATS = _info("score_formats", "How the scores are written.")
EMPTY_COLUMN = _info("empty_column", "A column without name and value, as spreadsheets leave behind.")

# py-irt JSON lines.
BAD_SUBJECT = _error("bad_subject", "A line lacks subject_id or responses, or has another type there.")
UNKNOWN_KEY = _warning("unknown_key", "A line holds a key that no contract knows.")

# Metadata.
ABSENT_COLUMN = _warning("absent_column", "A metadata column that views group by is not there.")
BAD_STATISTIC = _warning("bad_statistic", "A stored statistic is not a number.")
ITEM_WITHOUT_METADATA = _warning("item_without_metadata", "An item of the responses is not in the item metadata.")
MODEL_WITHOUT_METADATA = _warning("model_without_metadata", "A model of the responses is not in the model metadata.")
ITEM_WITHOUT_RESPONSES = _info("item_without_responses", "An item of the metadata has no responses.")
MODEL_WITHOUT_RESPONSES = _info("model_without_responses", "A model of the metadata has no responses.")
STORED_STATISTIC_DIFFERS = _warning(
    "stored_statistic_differs", "A stored mean or standard deviation is not what the responses give."
)
DERIVED_COLUMNS = _info("derived_columns", "Averages in the model metadata are left out; views compute them.")

# The responses as a whole.
MISALIGNED_MODELS = _warning(
    "misaligned_models", "Models whose rows do not describe the same items as the largest group's."
)
MODELS_SHARE_NO_ITEM = _warning(
    "models_share_no_item", "Models that share no item with the largest group, not even by way of other models."
)
MODELS_NOT_COMPARABLE = _warning(
    "models_not_comparable", "Models that share too little with the largest group to tell whether their rows fit."
)

RULES: Final = tuple(_rules)
