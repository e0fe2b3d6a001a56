"""Every reason to notice something while reading GRACE. Errors refuse the build, the rest is published and counted."""

from __future__ import annotations

from typing import Final

from warehouse.contracts import Rule, Severity

_rules: list[Rule] = []


def _rule(severity: Severity, name: str, description: str) -> Rule:
    rule = Rule(f"grace.{name}", severity, description)
    _rules.append(rule)
    return rule


def _error(name: str, description: str) -> Rule:
    return _rule(Severity.ERROR, name, description)


def _warning(name: str, description: str) -> Rule:
    return _rule(Severity.WARNING, name, description)


def _info(name: str, description: str) -> Rule:
    return _rule(Severity.INFO, name, description)


# The archive.
ARCHIVE_TOO_LARGE = _error("archive_too_large", "The archive, or the number of its entries, is over the limit.")
ARCHIVE_UNREADABLE = _error("archive_unreadable", "The archive is not a zip file, is cut short or is damaged.")
ARCHIVE_PLAIN = _info("archive_plain", "The archive's packets are not encrypted, unlike the published release.")
WRONG_PASSWORD = _error("wrong_password", "The password does not open the archive.")
ENTRY_ABSOLUTE = _error("entry_absolute", "An entry's name is an absolute path.")
ENTRY_PARENT = _error("entry_parent", "An entry's name leaves its folder by '.' or '..'.")
ENTRY_BACKSLASH = _error("entry_backslash", "An entry's name holds a backslash.")
ENTRY_CONTROL = _error("entry_control", "An entry's name holds a NUL, another control character or nothing at all.")
ENTRY_LINK = _error("entry_link", "An entry is a symbolic link or another special file.")
ENTRY_NESTED = _error("entry_nested", "An entry lies deeper than one folder.")
ENTRY_REPEATED = _error("entry_repeated", "A name or a packet's number occurs twice.")
ENTRY_NUMBER = _error(
    "entry_number", "A packet's number is not a whole number from 1, or is written with leading zeros."
)
ENTRIES_OVERLAP = _error("entries_overlap", "The entries together claim more bytes than the archive has.")
ENTRY_METHOD = _error("entry_method", "An entry is encrypted or compressed in a way that is not read.")
ENTRY_TOO_LARGE = _error("entry_too_large", "An entry inflates beyond the limit for one or for all entries.")
ENTRY_SIZE = _error("entry_size", "An entry's size is not the one its header states.")
ENTRY_DAMAGED = _error("entry_damaged", "An entry's bytes are damaged: checksum, compression or an early end.")
ENTRY_UNLISTED = _warning("entry_unlisted", "An entry is not a packet; it is not read.")
NO_PACKETS = _error("no_packets", "The archive has no entry named packetN_buzzpoints.json.")
PACKET_GAP = _warning("packet_gap", "The packets' numbers leave one out.")

# JSON, in packets and in run files.
NOT_UTF8 = _error("not_utf8", "A file or a string in it is not Unicode text.")
BYTE_ORDER_MARK = _info("byte_order_mark", "A file starts with a byte order mark.")
NOT_JSON = _error("not_json", "A file is not JSON.")
REPEATED_KEY = _error("repeated_key", "A JSON object has one key twice, of which a reader would silently keep one.")
NOT_A_LIST = _error("not_a_list", "A file is not a list of questions, or is an empty one.")
MISSING_KEY = _error("missing_key", "A needed key is missing.")
UNKNOWN_KEY = _warning("unknown_key", "A key that no contract knows; it is kept with the restricted text.")
MISTYPED = _error("mistyped", "A value is not of the type its key needs.")

# Questions and buzzes.
REPEATED_INDEX = _error("repeated_tossup_index", "Two questions of one packet have the same tossup_index.")
SHARED_INDEX = _info("shared_tossup_index", "Questions of different packets have the same tossup_index.")
UNKNOWN_CATEGORY = _warning("unknown_category", "A category the publishers' grouping does not have.")
ANSWER_UNCLOSED = _info("answer_unclosed", "An answer line opens a bracket and does not close it.")
ANSWER_EMPTY = _warning("answer_empty", "An answer line has directions to the moderator and no answer.")
POSITION_MALFORMED = _error("position_malformed", "An entry of 'position' is not a word index with '[team, +|-]'.")
POSITION_BY_WORD = _info("position_by_word", "'position' is a map from word index to a list, its second shape.")
POSITION_ORDER = _warning("position_order", "A list of buzzes goes back in the question.")
REPEATED_TEAM = _error("repeated_team", "A team buzzes twice in a question.")
WORD_OUT_OF_RANGE = _error("word_out_of_range", "A buzz stands after the end of the question.")
TEXT_DIFFERS = _error("text_differs", "question_buzzpoints without its marks is not the question.")
SPACES_DIFFER = _info("spaces_differ", "question_buzzpoints differs from the question in white space only.")
MARKS_MISSING = _warning("marks_missing", "question_buzzpoints has no mark at all, though 'position' has buzzes.")
MARKS_DIFFER = _error("marks_differ", "The marks in question_buzzpoints are not the buzzes of 'position'.")
RELEASE_COUNTS = _error("release_counts", "A known release does not give the counts it has.")

# Runs.
RUNS_FILE_UNLISTED = _warning(
    "runs_file_unlisted", "A file that is not packetN_model_human_output.json; it is not read."
)
RUNS_NO_FILES = _error("runs_no_files", "No file is named packetN_model_human_output.json.")
RUNS_UNKNOWN_QUESTION = _error("runs_unknown_question", "A question of a run file is not in the release.")
RUNS_REPEATED_QUESTION = _error("runs_repeated_question", "A run file has a question, or a packet, twice.")
RUNS_MISSING_QUESTIONS = _info("runs_missing_questions", "A packet's run file leaves questions of the release out.")
RUNS_NO_MODEL = _warning("runs_no_model", "A question of a run file has no model.")
RUNS_EMPTY = _info("runs_empty", "A model's run list is empty: it has no score, not the worst one.")
RUNS_INDEX = _warning("runs_index", "A run's run_index is not its place in the list, which is what counts.")
RUNS_PREFIX = _warning("runs_prefix", "Runs do not hold more of the question clue by clue, the same for every model.")
RUNS_POSITION = _warning("runs_position", "A run file's 'position' counts other human buzzers than the release.")
CONFIDENCE_RANGE = _error(
    "confidence_range", "A confidence is a probability above 1 or below 0, or a log-probability above 0."
)
CONFIDENCE_NOT_FINITE = _error("confidence_not_finite", "A confidence is NaN, infinite or beyond all doubles.")
POSITION_ITEMS_NULL = _info("position_items_null", "A run's position_items is null: taken as absent.")
POSITION_ITEMS_MALFORMED = _error(
    "position_items_malformed", "A run's position_items is not a map from team to + or -."
)
HUMAN_NOT_IN_POSITION = _warning("human_not_in_position", "A run names human teams that 'position' does not have.")
HUMAN_SHARE = _error("human_share", "More human teams are right than buzzed, so h is above 1.")

RULES: Final[tuple[Rule, ...]] = tuple(_rules)
