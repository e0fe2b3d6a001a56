"""The tables of the GRACE release: questions, their restricted text, buzzes, and model runs where somebody has them."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from warehouse.contracts.base import Table, count, flag, one_of, probability, real, text

SOURCE: Final = "grace"
LICENCE: Final = (
    "GRACE: the release carries no licence file, so no right to pass it on is stated. Its publishers encrypt it and "
    "print the password to keep the question text out of crawls; that text is blank unless 'grace_text' was named."
)
DEFAULT_PASSWORD: Final = "buzzbuzz"  # printed by the publishers in the release's own description
TEAM_KINDS: Final = ("human", "model")
ELICITATIONS: Final = ("logit", "verb")
TOSSUP_INDEX_TYPES: Final = ("integer", "string")
CATEGORY_GROUPS: Final = ("Arts", "Geo/CE", "History", "Literature", "RMPSS", "Science", "Other")
GRACE_TEXT: Final = ("grace_text",)

_PACKET = "Packet, from the file's name: packetN_buzzpoints.json."
_ORDINAL = "Question of the packet, from 0 in file order."
_MODEL = "Model's key in the file: M1, M2, …"


class QuestionKey(dy.Schema):
    """The keys of a question. `tossup_index` is not one: the release uses one value in two packets."""

    packet = count(_PACKET, key=True)
    ordinal = count(_ORDINAL, key=True)


class GraceQuestions(QuestionKey):
    """One question without its text."""

    tossup_index = text("The publishers' own identifier, as text; unique inside a packet only.")
    tossup_index_type = one_of(TOSSUP_INDEX_TYPES, "What it is in the file, where both occur.")
    category = text("Category as published.")
    category_normalised = text("Category with the spellings of one category made one.")
    category_group = one_of(
        CATEGORY_GROUPS, "The publishers' coarse grouping of categories; Other where they have none."
    )
    answer_line = text("Answer line as published: an answer, often with directions to the moderator.")
    answer = text("The answer itself: the answer line without bracketed directions, pronunciations and notes.")
    answer_accept = dy.List(dy.String(), description="Directions 'or …' and 'accept …', a clause each, in order.")
    answer_prompt = dy.List(dy.String(), description="Directions 'prompt on …' and 'antiprompt on …', likewise.")
    answer_reject = dy.List(dy.String(), description="Directions 'reject …' and 'do not accept …', likewise.")
    answer_pronunciation = text("Pronunciation given in the answer line; null without one.", nullable=True)
    answer_note = text("Other notes of the answer line; null without one.", nullable=True)
    n_words = count("Words of the question: what white space separates.", unit="words")
    n_human_buzzes = count("Buzzes of human teams: the denominator of h in CalScore.", unit="buzzes")
    n_model_buzzes = count("Buzzes of models.", unit="buzzes")


class GraceQuestionTexts(QuestionKey):
    """A question's text, which the publishers keep out of crawls."""

    question = text("Question as read to the teams.", restricted=GRACE_TEXT)
    question_buzzpoints = text(
        "The same with a mark such as [H17, -] after the last word heard.", restricted=GRACE_TEXT
    )
    unknown_fields = text(
        "Fields of the question that no contract knows, as JSON; null without any.",
        nullable=True,
        restricted=GRACE_TEXT,
    )


class GraceBuzzes(QuestionKey):
    """One buzz. A team buzzes once a question at most; a right one does not end it: teams play in separate rooms."""

    team = text("Team: H and a number for a human team, M and a number for a model.", key=True)
    team_kind = one_of(TEAM_KINDS, "human or model.")
    word_index = count("Last word heard, from 0.", unit="words")
    buzz_order = count("Place among the question's buzzes, from 0; inside a word only the file's order tells.")
    correct = flag("Whether the answer given was right.")
    share_heard = probability("(word_index + 1) / words of the question.", nullable=False)
    clue = count(
        "First clue whose prefix holds the word; null without model runs, for the public text marks no clues.",
        nullable=True,
    )


class GraceRunLists(QuestionKey):
    """One model's list of runs for one question, empty ones included: an empty list has no score."""

    model = text(_MODEL, key=True)
    elicitation = one_of(
        ELICITATIONS, "How confidence was asked for: logit (a log-probability) or verb (a probability)."
    )
    n_runs = count("Runs in the list.", unit="runs")
    n_human_buzzers = count("Human teams that buzzed, by the run file: the denominator of h.", unit="teams")
    unknown_fields = text(
        "Fields of the run file's question that no contract knows, as JSON; null without any.",
        nullable=True,
        restricted=GRACE_TEXT,
    )


class GraceRuns(QuestionKey):
    """One model's guess after one more clue."""

    model = text(_MODEL, key=True)
    clue = count("Run of the model, from 0 in file order.", key=True)
    elicitation = one_of(
        ELICITATIONS, "How confidence was asked for: logit (a log-probability) or verb (a probability)."
    )
    correct = flag("Whether the guess is right, by the publishers' own grade.")
    confidence = probability("Probability the model gives its guess; null where the file's number is not one.")
    conf = real(
        "The number in the file: a log-probability for logit, a probability for verb; null where it is unusable."
    )
    buzzed = flag("Whether the model would buzz here; null where the file does not say.", nullable=True)
    n_words_heard = count(
        "Words of the question heard so far; null where the file does not say.", nullable=True, unit="words"
    )
    n_humans_correct = count("Human teams right up to and including this run, each by its last buzz.", unit="teams")
    human_share = probability("h: n_humans_correct over the human teams that buzzed; 0 where none did.", nullable=False)
    guess = text("The model's guess; null where the file does not say.", nullable=True, restricted=GRACE_TEXT)
    unknown_fields = text(
        "Fields of the run that no contract knows, as JSON; null without any.", nullable=True, restricted=GRACE_TEXT
    )


TABLES: Final = (
    Table("grace_questions", GraceQuestions, SOURCE, "question", "Quiz questions without their text."),
    Table("grace_question_texts", GraceQuestionTexts, SOURCE, "question", "Text of the quiz questions."),
    Table("grace_buzzes", GraceBuzzes, SOURCE, "question x team", "Who buzzed when, and whether rightly."),
    Table(
        "grace_run_lists", GraceRunLists, SOURCE, "question x model",
        "Which models have runs for which question; empty without run files.",
    ),
    Table(
        "grace_runs", GraceRuns, SOURCE, "question x model x clue",
        "A model's confidence after each clue; empty without run files.",
    ),
)  # fmt: skip
